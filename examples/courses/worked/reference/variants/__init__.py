"""Exercises with the numbers of one student."""
