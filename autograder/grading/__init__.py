"""Grading: run the checks on submissions, and make reports of the results."""
