"""What a released course cannot say: it is told when the work is graded."""

HIDDEN = "Told when your work is graded: this check does not show its inputs."
NOT_RECORDED = (
    "Not told here: what this check compares with is not among the answers of a released course. "
    "It is told when your work is graded."
)
GIVEN_OWN = (
    "Not told here: this may be right, given your own {}. Put that right first; points for what "
    "follows from it are given when your work is graded."
)
OTHER_MACHINE = (
    "Not told here: the answers were recorded with NumPy {}, and this machine's NumPy {} draws "
    "other random numbers. Install that version (pip install numpy=={}), or hand in as it is."
)
OURS = (HIDDEN, NOT_RECORDED)


def is_left_to_grading(finding: str) -> bool:
    """Whether nothing that a student does here makes more be told."""
    return finding in OURS or finding.startswith(OTHER_MACHINE.partition("{")[0])


class NotToldHere(Exception):
    """A released check needs an answer that was not recorded; says why, in a sentence."""

    def __init__(self, said: str = NOT_RECORDED) -> None:
        super().__init__(said)


class MayFollow(NotToldHere):
    """An answer is not right, and whether it follows from a step of the student's is not known.

    `wrong` is the mismatch, `own` the function that the step is done by.
    """

    def __init__(self, wrong: Exception, own: str) -> None:
        super().__init__(GIVEN_OWN.format(own))
        self.wrong = wrong
        self.own = own


# Why a check was not run, in sentences of the engine's own.


NOT_SELECTED = "Not run: it was not selected."


def needs_first(title: str) -> str:
    """Another check has to pass first."""
    return f"Not run: it needs “{title}” first."


def not_written(names: str, count: int) -> str:
    """So many names stand for stubs still."""
    return f"Not run: {names} {'is' if count == 1 else 'are'} not written yet."
