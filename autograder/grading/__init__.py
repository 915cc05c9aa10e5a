"""Grading: running the checks on submissions, and reporting the results."""
