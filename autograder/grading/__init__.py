"""Grading: it runs the checks on submissions, and makes reports of the results."""
