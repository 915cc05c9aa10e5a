"""Tools for authors: building, verifying and releasing a course."""
