"""Shared parts of the last checks of exercises, for results that earlier checks grade."""

import numpy as np

from autograder.author import (
    Mismatch,
    StudentProblem,
    expect_numbers,
    graded_elsewhere,
    values_agree,
)


def is_right(submission, *expectations):
    """Return True if all expectations pass. Another check grades their calls."""
    try:
        for expect in expectations:
            expect(submission.aside())
    except (Mismatch, StudentProblem):
        return False
    return True


def answer_aside(submission, name, *args):
    """Return the answer to a call that another check grades, or None if the call stops."""
    with graded_elsewhere(StudentProblem):
        return getattr(submission.aside(), name)(*args)
    return None


def answers_right(submission, right, *args):
    """Return True if the student's function gives the right answer. Another check grades it."""
    return values_agree(answer_aside(submission, right.__name__, *args), right(*args))


def expect_different_numbers(value, what):
    """Pass if not all numbers of a result are equal. Another check grades the numbers."""
    if np.ptp(expect_numbers(value, what)) == 0:
        raise Mismatch(f"All numbers of {what} are equal.")
