"""The checks, a file for each exercise."""
