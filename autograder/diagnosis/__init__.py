"""Diagnosis of mistakes: misconceptions are replayed on the same inputs as the student's code.

A course's `reference.misconceptions.NAME` holds `MISTAKES`: for each function of the exercise, how
it is done and the ways in which it is done wrong. Nothing here knows what the steps mean.
"""

from typing import Any


def __getattr__(name: str) -> Any:
    """Return a name that courses imported from here before `autograder.author`, with a warning."""
    from autograder.course.old_imports import old_name

    return old_name(__name__, name)
