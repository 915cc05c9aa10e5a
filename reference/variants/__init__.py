"""Exercises with different numbers for each student, one module per exercise."""
