"""Grading of a whole class, from many submissions to one folder of results."""
