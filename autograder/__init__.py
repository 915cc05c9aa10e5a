"""Autograder: runs a student's file in a separate process and explains its mistakes."""

__version__ = "0.1.0"


def check(exercise: str, hint: bool = False) -> float:
    """Grade the cells of a notebook that have run so far, show the report, and return the points.

    With `hint=True`, also show the next hint, if the course allows hints.
    """
    from autograder.student.notebook import check as check_cells

    return check_cells(exercise, hint)
