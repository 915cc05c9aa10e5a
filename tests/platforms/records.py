"""Exports made from records."""

from autograder.platforms.gradebook import ExportRequest


def exported(make, reports, course, template=None, column=None, scale=False, results=None):
    """Return the exported file, and the notes on it."""
    made = make(ExportRequest(reports, course, results, template, column, scale))
    return made.data, made.notes
