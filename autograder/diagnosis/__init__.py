"""Diagnosis of mistakes: misconceptions are replayed on the inputs of the student's code.

A course's `reference.misconceptions.NAME` defines `MISTAKES`: for each function of the exercise,
its correct steps and its wrong ones. This package does not know what the steps mean.
"""

from typing import Any


def __getattr__(name: str) -> Any:
    """Return a name that courses imported from here before `autograder.author`, with a warning."""
    from autograder.course.old_imports import old_name

    return old_name(__name__, name)
