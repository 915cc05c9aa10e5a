"""Grading of a whole class: many submissions, many processes, one set of results."""
