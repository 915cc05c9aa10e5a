"""Diagnosis of mistakes: a misconception is run on the inputs that the student's code got.

A recipe splits a function into steps, and has wrong versions of some steps. The course's modules
`reference.misconceptions.NAME` contain the recipes.
"""

from typing import Any


def __getattr__(name: str) -> Any:
    """Return an object of `autograder.author` for an older course, with a warning."""
    from autograder.course.old_imports import old_name

    return old_name(__name__, name)
