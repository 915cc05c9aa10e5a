"""Problems with a submission: error codes, typed fields and sentences."""

import builtins
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from importlib.util import find_spec
from string import Formatter
from typing import ClassVar, Literal

from autograder.course.text import nearest, one_line
from autograder.report.model import Cause, CauseCode, Line
from autograder.submission.source import Source
from autograder.worker.messages import CodePlace, Problem

ProblemKind = Literal[
    "wrong", "missing", "not written", "raised", "crashed", "timed out", "not loaded"
]

NOT_PYTHON = frozenset({"SyntaxError", "IndentationError", "TabError"})
CODES: dict[str, CauseCode] = {
    **dict.fromkeys(NOT_PYTHON, "not_python"),
    "RecursionError": "endless_recursion",
    "MemoryError": "out_of_memory",
}
NOT_FOUND = frozenset({"ModuleNotFoundError", "ImportError"})
LIBRARIES = frozenset({"matplotlib", "numpy", "torch"})  # the libraries that a course may need
AXES = frozenset({"Axes", "AxesSubplot"})
EXCEPTIONS = frozenset(name for name in dir(builtins) if name.endswith(("Error", "Exception")))
DECIMAL_COMMA = re.compile(r"\b\d+,(?:0\d+|\d+(?=\s*;))")  # only a comma in a number is followed so
_RAISE = re.compile(r"\braise\b")

# The sentence for each code. `where` is replaced by the place in words. Reports also show the line
# of code at this place.
SENTENCES: dict[CauseCode, str] = {
    "not_defined": "{subject} is not defined in {message}.{near}{because}",
    "no_value": "{subject} has no value: {message}, which sets it, did not finish.{because}",
    "not_written": "{subject} is not written yet.",
    "raise_left_in": (
        "{subject} has code, but the `raise NotImplementedError()`{where} stops it. Remove this "
        "line, or replace it by your `return`."
    ),
    "defined_twice": (
        "{subject} is defined twice: the second definition{where}, without code, replaces the "
        "first{message}. Delete the second definition."
    ),
    "sibling_not_written": (
        "{subject} needs {message}{where}. That file still has a `raise NotImplementedError()`. "
        "Write that file first. If your work is in a notebook, copy it there."
    ),
    "sibling_absent": "{subject} needs {message}, which is not in this folder. Put your {message} "
    "there.",
    "calls_unwritten": "{subject} calls a function that stops with NotImplementedError{where}.",
    "import_failed": "{subject}: {message}{where}.{install} Code that does not need it was run.",
    "not_python": "{subject} is not valid Python: {message}{where}.{decimal}",
    "endless_recursion": "{subject} calls itself forever (RecursionError{where}).",
    "out_of_memory": "{subject} asked for more memory than the grader allows{where}.",
    "raised": "{subject} stopped with {said}{where}{inside}.{install}",
    "exited": "{subject} asked to end the program (exit){where}.",
    "keyboard": (
        "{subject} calls {message}{where}, but nobody types anything when your code is graded. "
        "Remove the call. The input of the function is its parameters."
    ),
    "not_a_function": "{message}.",
    "axes_returned": "{subject} returned the axes. Return the whole figure (`return figure`, or "
    "axes.figure).",
    "not_comparable": "{subject} {message}. The grader can compare numbers, text, arrays of "
    "numbers, figures, and lists, tuples and dicts of these.",
    "exception_returned": "{subject} returns {message} instead of raising it: write `raise "
    "{message}(…)`.",
    "timed_out": "{subject} did not finish within {message} seconds.{loop}",
    "not_called_again": "{subject} ran out of time {message} times, so it was not called again.",
    "no_time_left": "The submission had used up its {message} seconds before this check.",
    "load_timed_out": "{subject} did not finish loading within {message} seconds: something at its "
    "top level, outside every function, runs too long.{loop}",
    "crashed": "While {subject} ran, the process ended: {message}.",
    "load_crashed": "While {subject} was loading, the process ended: {message}.",
    "make_crashed": "While {subject} was made, the process ended: {message}.",
    "not_made": "{subject} could not be made in the submission's process ({message}). Does the "
    "file give a library's name another value?",
    "foreign_answer": "The submission's process sent an invalid reply.",
}


@dataclass(eq=False, repr=False)
class StudentProblem(Exception):
    """Exception: the student's code returned no value.

    `subject` is the requested function, value or file. `message` is one line, which the sentence
    quotes. `names` are similar names in the file. `because` is an earlier problem of loading the
    file.

    Some fields are only for exceptions. `type` is the name of the exception's class, and `bases`
    are the names of built-in base classes. `said` is the exception's message. `shapes` has the
    shapes of the arrays in the failing line. `library` is the package that raised the exception.
    """

    kind: ClassVar[ProblemKind] = "wrong"

    code: CauseCode
    subject: str = ""
    message: str = ""
    place: CodePlace | None = None
    type: str = ""
    _: KW_ONLY
    names: tuple[str, ...] = ()
    because: "StudentProblem | None" = None
    bases: Sequence[str] = ()
    said: str = ""
    shapes: Mapping[str, Sequence[int]] = field(default_factory=dict)
    library: str = ""

    finding: str = field(init=False)  # the sentence

    def __post_init__(self) -> None:
        said = f"{self.type}: {self.message}" if self.message else self.type
        loop = " Is there a loop that never ends?" if self.code == "timed_out" else ""
        if self.place is not None:
            loop = f" It was still in the loop{where(self.place)}."
        self.finding = SENTENCES[self.code].format(
            subject=self.subject,
            message=self.message,
            said=said.rstrip("."),
            where=where(self.place),
            inside=f", inside {self.library}" if self.library else "",
            loop=loop,
            install=self._install(),
            decimal=self._decimal(),
            near=f" It does define {self.names[0]}. Did you mean this name?" if self.names else "",
            because=f" {self.because.finding}" if self.because else "",
        )
        super().__init__(self.finding)

    @property
    def cause(self) -> Cause:
        """The record of the problem, with the fields for its sentence in the report."""
        shown = {name for _, name, _, _ in Formatter().parse(SENTENCES[self.code]) if name}
        message = self.message if shown & {"message", "said"} else ""
        return Cause(
            code=self.code,
            subject=self.subject if "subject" in shown else "",
            error=self.type if "said" in shown or self.code == "not_python" else "",
            message=message,
            place=line_of(self.place) if shown & {"where", "loop"} else None,
            names=self.names if "near" in shown else (),
            library=self.library if "inside" in shown else "",
            because=self.because.cause if self.because is not None else None,
        )

    def _install(self) -> str:
        """Return advice to install a library. If no import has failed, return ""."""
        found = re.match(r"No module named '(\w{1,40})", self.message)
        if found is None or found[1] not in LIBRARIES or find_spec(found[1]) is not None:
            return ""
        return f" {found[1]} is not installed here. Run: pip install {found[1]}."

    def _decimal(self) -> str:
        """Return a sentence about a number with a decimal comma, or "" if there is none."""
        found = DECIMAL_COMMA.search(self.place.text) if self.place is not None else None
        if found is None:
            return ""
        return f" Write decimal numbers with a point: {found[0].replace(',', '.')}, not {found[0]}."


class NotDefined(StudentProblem):
    """The file does not define a requested name."""

    kind: ClassVar[ProblemKind] = "missing"


class Raised(StudentProblem):
    """Exception of the student's code. An expected exception (`was_expected`) is not reported."""

    kind: ClassVar[ProblemKind] = "raised"
    was_expected = False


class NotWritten(Raised):
    """The student has not written the function yet."""

    kind: ClassVar[ProblemKind] = "not written"


class NotPlain(StudentProblem):
    """The result has a type that cannot be compared."""


class TimedOut(StudentProblem):
    """The student's code returned no result in time."""

    kind: ClassVar[ProblemKind] = "timed out"


class Crashed(StudentProblem):
    """The process of the student's code ended."""

    kind: ClassVar[ProblemKind] = "crashed"


class NotLoaded(StudentProblem):
    """The file could not run at all. The reason is in `code`."""

    kind: ClassVar[ProblemKind] = "not loaded"


def line_of(place: CodePlace | None) -> Line | None:
    if place is None:
        return None
    text = one_line(place.text, 120)
    is_known = text[: place.end] == place.text[: place.end]
    return Line(
        file=one_line(place.label, 80),
        line=place.line,
        text=text,
        column=place.column if is_known else 0,
        end=place.end if is_known else 0,
    )


def where(place: CodePlace | None) -> str:
    """Return text such as ` in line 3 of softmax.py`. Without a place, return ""."""
    if place is None:
        return ""
    return f" in line {place.line} of {one_line(place.label, 80)}"


def from_worker(problem: Problem, subject: str, is_call: bool = True) -> StudentProblem:
    place = problem.place
    if problem.kind == "exited":
        return Crashed("exited", subject, place=place)
    if problem.kind == "keyboard":
        called = one_line(problem.message, 20) or "input()"
        return Raised("keyboard", subject, called, place=place, type="EOFError")
    if problem.kind == "raised":
        return _raised(problem, subject)
    message = one_line(problem.message, 300)
    if problem.kind == "not a function":
        return NotPlain("not_a_function", subject, message)
    if problem.type in AXES:
        return NotPlain("axes_returned", subject)
    if problem.type in EXCEPTIONS and is_call:
        return NotPlain("exception_returned", subject, problem.type)
    return NotPlain("not_comparable", subject, f"{'returned' if is_call else 'is'} {message}")


def _raised(problem: Problem, subject: str) -> Raised:
    is_stub = _is_of_a_stub(problem)
    kind = NotWritten if is_stub else Raised
    return kind(
        "not_written" if is_stub else CODES.get(problem.type, "raised"),
        subject,
        # torch's advice in this message would cut the gradient
        one_line(problem.message.split(" Use tensor.detach()")[0], 300),
        problem.place,
        one_line(problem.type, 80),
        bases=problem.bases,
        said=problem.message,
        shapes=problem.shapes,
        library=one_line(problem.library, 40),
    )


def _is_of_a_stub(problem: Problem) -> bool:
    if problem.type != "NotImplementedError" or problem.place is None:
        return False
    return _RAISE.search(problem.place.text) is not None


def about_sibling(
    problem: Problem, subject: str, source: Source, exercises: Collection[str]
) -> StudentProblem | None:
    """Return the problem if another exercise's file is missing or unwritten, and otherwise None."""
    place = problem.place
    file = one_line(place.label, 80) if place is not None else ""
    is_sibling = file != source.label and file.removesuffix(".py") in source.helpers
    if is_sibling and _is_of_a_stub(problem):
        return NotWritten("sibling_not_written", subject, file, problem.user, problem.type)
    if problem.type in NOT_FOUND:
        for name in problem.names:
            if name in exercises and name not in source.helpers:
                return NotDefined("sibling_absent", subject, f"{name}.py", place)
    return None


def while_loading(problem: Problem) -> StudentProblem:
    """Return the problem of a failed top-level line."""
    if problem.type in NOT_PYTHON:
        return _raised(problem, "The file")
    if problem.type in NOT_FOUND and problem.place is not None:
        message = one_line(problem.message, 300).rstrip(".")
        return StudentProblem("import_failed", "The file", message, problem.place)
    subject = "A line outside every function"
    if _is_of_a_stub(problem):
        return StudentProblem("calls_unwritten", subject, place=problem.place)
    return from_worker(problem, subject)


def missing(
    name: str,
    file: str,
    names: Sequence[str],
    load_problems: Sequence[Problem],
    set_at: CodePlace | None = None,
) -> NotDefined:
    """Return the problem for a name without a definition in the file.

    The first possible reason is an error in `set_at`, the line that sets the name. The last
    possible reason is a failed import.
    """
    failed = sorted(
        load_problems, key=lambda p: (where(p.place) != where(set_at), p.type in NOT_FOUND)
    )
    because = while_loading(failed[0]) if failed else None
    place = failed[0].place if failed else None
    if failed and set_at is not None:
        line = where(set_at).removeprefix(" in ")
        return NotDefined("no_value", name, line, place, because=because)
    near = nearest(name, [each for each in names if _differs_inside_words(name, each)], cutoff=0.7)
    shown = (one_line(near, 80),) if near else ()
    return NotDefined("not_defined", name, file, place, names=shown, because=because)


def _differs_inside_words(name: str, other: str) -> bool:
    words, others = (each.casefold().split("_") for each in (name, other))
    return len(words) != len(others) or all(map(nearest, words, ([word] for word in others)))
