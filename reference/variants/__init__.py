"""Exercises with numbers of a student's own: a module for each."""
