"""Diagnosis of mistakes. Misconceptions are replayed on the inputs of the student's code.

A recipe of the course's module `reference.misconceptions.NAME` has the steps of a function, and
wrong versions of some steps. This package does not know what the steps mean.
"""

from typing import Any


def __getattr__(name: str) -> Any:
    """Return an object that has moved to `autograder.author`, for older courses, and warn."""
    from autograder.course.old_imports import old_name

    return old_name(__name__, name)
