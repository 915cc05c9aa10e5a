"""Sentences for causes in which nothing of a submission stands: not run, or not judged here."""

from autograder.report.model import Cause, CauseCode

SENTENCES: dict[CauseCode, str] = {
    "no_end": "The check did not come to an end.",
    "not_selected": "Not run: it was not selected.",
    "needs_first": "Not run: it needs “{name}” first.",
    "enough": "Not run: a check before it was enough.",
    "internal_error_before": "Not run: the grader itself has failed, and will try again.",
    "hidden": "Told when your work is graded: this check does not show its inputs.",
    "not_recorded": (
        "Not told here: what this check compares with is not among the answers of a released "
        "course. It is told when your work is graded."
    ),
    "given_own_step": (
        "Not told here: this may be right, given your own {name}. Put that right first; points for "
        "what follows from it are given when your work is graded."
    ),
    "other_numpy": (
        "Not told here: the answers were recorded with NumPy {name}, and this machine's NumPy "
        "{subject} draws other random numbers. Install that version (pip install numpy=={name}), "
        "or hand in as it is."
    ),
}

# Nothing that a student does here makes more be judged.
LEFT_TO_GRADING = frozenset({"hidden", "not_recorded", "other_numpy"})


def sentence(cause: Cause) -> str:
    """Return the sentence of a cause that has one here; its first name stands for `{name}`."""
    name = cause.names[0] if cause.names else ""
    return SENTENCES[cause.code].format(subject=cause.subject, name=name)


def not_written(names: str, count: int) -> str:
    """Return why a check of so many stubs was not run."""
    return f"Not run: {names} {'is' if count == 1 else 'are'} not written yet."
