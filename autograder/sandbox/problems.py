"""What can go wrong between a check and a student's code, each as one sentence for the student."""

import re
from collections.abc import Sequence
from typing import Literal

from autograder.course.text import nearest, one_line
from autograder.worker.messages import CodePlace, Problem

ProblemKind = Literal[
    "wrong", "missing", "not written", "raised", "crashed", "timed out", "not loaded"
]

NOT_PYTHON = frozenset({"SyntaxError", "IndentationError", "TabError"})
_RAISE = re.compile(r"\braise\b")
NOT_FOUND = frozenset({"ModuleNotFoundError", "ImportError"})


class StudentProblem(Exception):
    """The student's code gave no answer that a check could look at."""

    kind: ProblemKind = "wrong"

    def __init__(self, finding: str, place: CodePlace | None = None) -> None:
        super().__init__(finding)
        self.finding = finding
        self.place = place


class NotDefined(StudentProblem):
    """A name that the exercise asks for is not in the file."""

    kind: ProblemKind = "missing"


class Raised(StudentProblem):
    """The student's code raised an exception: `type` is the name of its class.

    `bases` are the names of the classes of Python's own that it is derived from, `said` its message
    as it is, and `message` the same for people, on one line.
    """

    kind: ProblemKind = "raised"

    def __init__(
        self,
        finding: str,
        place: CodePlace | None,
        type: str,
        message: str,
        shapes: dict[str, list[int]] | None = None,
        bases: list[str] | None = None,
        said: str = "",
    ) -> None:
        super().__init__(finding, place)
        self.said = said
        self.type = type
        self.message = message
        self.shapes = shapes or {}
        self.bases = tuple(bases or ())


class NotWritten(Raised):
    """The stub is still in place."""

    kind: ProblemKind = "not written"


class NotPlain(StudentProblem):
    """The answer is of a type that cannot be compared."""


class TimedOut(StudentProblem):
    """The answer did not come in time."""

    kind: ProblemKind = "timed out"


class Crashed(StudentProblem):
    """The process that ran the student's code ended."""

    kind: ProblemKind = "crashed"


class NotLoaded(StudentProblem):
    """The file could not be run at all."""

    kind: ProblemKind = "not loaded"


def where(place: CodePlace | None) -> str:
    """` in line 3 of softmax.py`, or nothing."""
    if place is None:
        return ""
    return f" in line {place.line} of {one_line(place.label, 80)}"


def quoted(place: CodePlace | None) -> str:
    """The line itself, marked as code, so that no sentence runs into it."""
    if place is None or not place.text:
        return ""
    return f": `{one_line(place.text, 120)}`"


def is_of_a_stub(problem: Problem) -> bool:
    """Whether a line of the student's own file raises that error, as that of a stub does.

    Libraries raise it too, for what they cannot do.
    """
    return problem.place is not None and _RAISE.search(problem.place.text) is not None


def raised(problem: Problem, subject: str) -> Raised:
    """The sentence for an exception that came out of `subject`, a function or the file."""
    kind, message = one_line(problem.type, 80), one_line(problem.message, 300)
    if kind == "NotImplementedError" and is_of_a_stub(problem):
        return NotWritten(f"{subject} is not written yet.", problem.place, kind, message)
    if kind in NOT_PYTHON:
        finding = f"{subject} is not valid Python: {message}{where(problem.place)}"
        finding += f"{quoted(problem.place)}."
    elif kind == "RecursionError":
        finding = (
            f"{subject} calls itself without an end (RecursionError{where(problem.place)}"
            f"{quoted(problem.place)})."
        )
    elif kind == "MemoryError":
        finding = f"{subject} asked for more memory than the grader allows{where(problem.place)}."
    else:
        said = f"{kind}: {message}" if message else kind
        finding = f"{subject} stopped with {said.rstrip('.')}{where(problem.place)}"
        finding += f"{quoted(problem.place)}."
    shapes, bases = problem.shapes, problem.bases
    return Raised(finding, problem.place, kind, message, shapes, bases, problem.message)


def while_loading(problem: Problem) -> str:
    """The sentence for a line at the top level that failed, while all around it was run."""
    kind, message = one_line(problem.type, 80), one_line(problem.message, 300).rstrip(".")
    if kind in NOT_PYTHON:
        return raised(problem, "The file").finding
    if kind in NOT_FOUND and problem.place is not None:
        return f"The file: {message}{where(problem.place)}. What does not need it was run."
    subject = "A line outside every function"
    if kind == "NotImplementedError" and is_of_a_stub(problem):
        return f"{subject} calls what is not written yet{where(problem.place)}."
    return from_worker(problem, subject).finding


def missing(
    name: str,
    file: str,
    names: list[str],
    while_it_loaded: Sequence[Problem],
    set_at: CodePlace | None = None,
) -> NotDefined:
    """The sentence for a name that the file does not define.

    What most likely took it away is an error while the file was loaded; a failed import did so
    last. `set_at` is the line that would have set it.
    """
    failed = sorted(while_it_loaded, key=lambda p: p.type in NOT_FOUND)
    stopped = f" {while_loading(failed[0])}" if failed else ""
    place = failed[0].place if failed else None
    if failed and set_at is not None:
        line = where(set_at).removeprefix(" in ")
        finding = f"{name} has no value: {line}, which sets it, was not run to its end."
        return NotDefined(f"{finding}{stopped}", place)
    finding = f"{name} is not defined in {file}."
    near = nearest(name, names, cutoff=0.7)
    if near:
        finding += f" It does define {one_line(near, 80)}: is that the one?"
    return NotDefined(f"{finding}{stopped}", place)


def from_worker(problem: Problem, subject: str) -> StudentProblem:
    """The exception for a problem that the worker reported about calling `subject`."""
    if problem.kind == "exited":
        finding = f"{subject} asked to end the program (exit){where(problem.place)}."
        return Crashed(finding, problem.place)
    if problem.kind == "keyboard":
        finding = (
            f"{subject} calls input(){where(problem.place)}, but nobody is at the keyboard "
            f"when it is graded. Take the values from the parameters instead."
        )
        return Raised(finding, problem.place, "EOFError", "")
    if problem.kind == "unsendable":
        kind = one_line(problem.message, 300)
        if kind.endswith("a function was expected"):
            return NotPlain(f"{kind}.")
        if kind.endswith(("type Axes", "type AxesSubplot")):
            return NotPlain(
                f"{subject} returned the axes; the whole figure is asked for (`return figure`, or "
                f"axes.figure)."
            )
        return NotPlain(
            f"{subject} returned {kind}. The grader can compare numbers, text, lists, tuples, "
            f"dicts, arrays and figures."
        )
    return raised(problem, subject)
