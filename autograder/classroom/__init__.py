"""Grading of a whole class."""
