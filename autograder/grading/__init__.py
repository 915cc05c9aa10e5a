"""Grading: runs checks on submissions, and makes reports."""
