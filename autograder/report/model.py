"""Record of a grading run, from which all output and exports are made."""

from typing import Literal, get_args

import msgspec

CheckOutcome = Literal[
    "passed", "failed", "not run", "graded when handed in", "timed out", "crashed", "error"
]
# From harmless to most urgent. A report has the status of its most urgent exercise.
Status = Literal[
    "graded", "missing", "by hand", "not loaded", "timed out", "crashed", "needs a person"
]
SEVERITY: tuple[Status, ...] = get_args(Status)
CellValue = float | int | bool | str

# With these statuses, points are unknown (not 0) unless a person has given points.
WITHOUT_POINTS: frozenset[Status] = frozenset(
    {"missing", "by hand", "not loaded", "needs a person"}
)

# The status of an exercise in which a check has this outcome.
STATUS_OF: dict[CheckOutcome, Status] = {
    "error": "needs a person",
    "crashed": "crashed",
    "timed out": "timed out",
}


class Record(msgspec.Struct, frozen=True):
    """Base class for the parts of a report."""


class Matrix(Record, frozen=True, kw_only=True):
    """Excerpt of an array of any shape, with at most 8×8 numbers. NaN and infinity are texts.

    `at` is the index of the excerpt along all axes except the last two. `top` and `left` are the
    indices of the excerpt's first row and column. `wrong` has the cells that differ. If cells
    belong to groups, such as attention heads, `groups` has each cell's group number, or -1 for
    none.
    """

    shape: tuple[int, ...]
    rows: tuple[tuple[CellValue, ...], ...]
    wrong: tuple[tuple[bool, ...], ...] = ()
    at: tuple[int, ...] = ()
    top: int = 0
    left: int = 0
    groups: tuple[tuple[int, ...], ...] = ()
    names: tuple[str, ...] = ()


class Curve(Record, frozen=True, kw_only=True):
    """Curve of `name` over `against`: x values, measured values, and limits `low` and `high`."""

    name: str
    against: str
    x: tuple[float, ...]
    yours: tuple[CellValue, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]


class Evidence(Record, frozen=True, kw_only=True):
    """Values of a failed comparison: call, student's value and expected value.

    `function` is the name of the called student's function. `sides` are the titles of the two
    values. If a value is not an array, it is a text here. A shortened text ends with " …". `groups`
    is the noun for groups of cells, for example "head". If there are curves, they replace the
    values.
    """

    call: str = ""
    function: str = ""
    what: str = ""
    yours: Matrix | str | None = None
    expected: Matrix | str | None = None
    groups: str = ""
    curves: tuple[Curve, ...] = ()
    sides: tuple[str, str] = ("yours", "expected")

    @property
    def matrices(self) -> tuple[Matrix | None, Matrix | None]:
        """The student's and the expected array. If either value is a text, both are None."""
        if isinstance(self.yours, str) or isinstance(self.expected, str):
            return None, None
        return self.yours, self.expected

    @property
    def texts(self) -> list[tuple[str, str]]:
        """The values that are texts, with their titles."""
        sides = zip(self.sides, (self.yours, self.expected), strict=True)
        return [(name, side) for name, side in sides if isinstance(side, str)]


class Line(Record, frozen=True, kw_only=True):
    """Line of a student's source. `text[column:end]` is marked, or all of it if both are 0."""

    file: str
    line: int
    text: str = ""
    column: int = 0
    end: int = 0


# Reasons why a check has no right answer, or why an exercise has no points.
CauseCode = Literal[  # noqa: RUF041  rows of codes
    # The check compared values, or did not finish.
    Literal["mismatch", "nothing_returned", "printed", "other_shape", "other_kind"],
    Literal["other_results", "argument_changed", "assertion", "no_end"],
    # The student's code gave no answer.
    Literal["not_defined", "no_value", "not_written", "raise_left_in", "defined_twice"],
    Literal["unused_result", "repeated_list", "sibling_not_written", "sibling_absent", "raised"],
    Literal["not_python", "endless_recursion", "out_of_memory", "exited", "keyboard"],
    Literal["not_comparable", "not_a_function", "axes_returned", "exception_returned", "timed_out"],
    Literal["not_called_again", "no_time_left", "load_timed_out", "crashed", "load_crashed"],
    Literal["make_crashed", "not_made", "not_loaded", "foreign_answer"],
    Literal["import_failed", "calls_unwritten"],
    # The check's own code failed, or the grader failed.
    Literal["check_stopped", "unreadable_answer", "internal_error"],
    # The check was not run.
    Literal["not_selected", "needs_first", "enough", "internal_error_before", "skipped"],
    # The check cannot be judged in a released course.
    Literal["hidden", "not_recorded", "given_own_step", "not_all_ran", "given_sibling"],
    Literal["other_numpy"],
    # Causes of an exercise, not of a check.
    Literal["forbidden_names", "answers_by_hand"],
]

# "" and "and_other_calls" are in records of older versions.
DiagnosisCode = Literal[  # noqa: RUF041
    Literal["", "named", "two_mistakes", "in_some_calls", "in_wrong_calls", "and_other_calls"],
    Literal["and_errors", "and_something_else", "fact", "measure", "order_dependent"],
    Literal["always_same", "statements", "error", "own", "value"],
]


class Cause(Record, frozen=True, kw_only=True):
    """Reason why a check did not pass, or why an exercise has no points.

    `subject` is the name of the function, value or file in the sentence. `error` is the class name
    of an exception, `message` is its message, and `library` is its package. `place` is a line of
    the student's source. `names` are other names in the sentence, such as the title of a check that
    must pass first. `because` is an earlier cause of this cause.
    """

    code: CauseCode
    subject: str = ""
    error: str = ""
    message: str = ""
    place: Line | None = None
    names: tuple[str, ...] = ()
    library: str = ""
    because: "Cause | None" = None


class Statement(Record, frozen=True, kw_only=True):
    """Fact of a diagnosis: its code, and the values in its sentence."""

    code: str
    values: dict[str, str] = {}


# How the sentence of a diagnosis repeats the finding of its check.
Where = Literal["", "begins_with", "contains", "ends_with", "is"]


class Diagnosis(Record, frozen=True, kw_only=True):
    """Diagnosis of a student's results.

    The kind is "named" if known mistakes, listed in `misconceptions`, give exactly the student's
    numbers. It is "located" if the finding describes the wrong results, and "error" if the finding
    explains an exception. `told` is the part of the finding that the course's authors wrote. It
    contains no output, error or result of the submission. `code` is the diagnosis code, and
    `statements` are the facts of the finding. `calls` describes the calls that show the mistake, or
    is empty if all calls do. `sentence` is the finding, with the function's name if needed.
    """

    kind: Literal["named", "located", "error"]
    finding: str
    code: DiagnosisCode = ""
    misconceptions: tuple[str, ...] = ()
    function: str = ""
    told: str = ""
    places: tuple[Line, ...] = ()
    calls: str = ""
    statements: tuple[Statement, ...] = ()
    sentence: str = ""
    repeats_finding: Where = ""

    def __post_init__(self) -> None:
        if not self.sentence:  # as in records of older versions
            name = "" if self.finding.startswith(self.function) else f"{self.function}: "
            msgspec.structs.force_setattr(self, "sentence", f"{name}{self.finding}")

    def beside(self, finding: str) -> "Diagnosis":
        """Return the diagnosis, with `repeats_finding` set if a check's finding says the same."""
        place: Where = ""
        if not finding or finding not in self.sentence:
            place = ""
        elif self.sentence == finding:
            place = "is"
        elif self.sentence.startswith(finding):
            place = "begins_with"
        else:
            place = "ends_with" if self.sentence.endswith(finding) else "contains"
        return msgspec.structs.replace(self, repeats_finding=place)


class Repair(Record, frozen=True, kw_only=True):
    """Small edits of the submission that make every check pass. Reports do not show the edits.

    `said` is the sentence for the student. If several edits are repairs and differ, `kind` and
    `places` are empty.
    """

    said: str
    kind: str = ""
    places: tuple[Line, ...] = ()


class CheckReport(Record, frozen=True, kw_only=True):
    """The outcome of a check, with points scaled to the points of the exercise.

    `finding` is the sentence of `cause`. If no known mistake explains the results, submissions with
    the same wrong results have the same `group`. `unwritten` names a function that the student has
    not written yet. `required` is the line with the failed requirement in the student's file.
    Reports of older versions may have several lines.
    """

    name: str
    title: str
    points: float
    max_points: float
    outcome: CheckOutcome
    hidden: bool = False
    finding: str = ""
    note: str = ""
    diagnosis: Diagnosis | None = None
    group: str = ""
    unwritten: str = ""
    cause: Cause | None = None
    evidence: Evidence | None = None
    place: Line | None = None
    hints: tuple[str, ...] = ()
    required: tuple[Line, ...] = ()

    @property
    def lacks_name_and_line(self) -> bool:
        """True if a check of written code failed without a named mistake or line."""
        if self.outcome != "failed" or self.unwritten or self.place is not None:
            return False
        diagnosis = self.diagnosis
        return diagnosis is None or (diagnosis.kind != "named" and not diagnosis.places)


class WrittenAnswer(Record, frozen=True, kw_only=True):
    """Answer in words. A person gives `points` and `comment`. Unmarked answers have None."""

    name: str
    title: str
    text: str
    max_points: float
    points: float | None = None
    comment: str = ""


class Basis(Record, frozen=True, kw_only=True):
    """Inputs of a grade, except the student's work.

    `checks`, `reference`, `settings` and `engine` are digests: of the exercise's checks, the other
    course files, the exercise's settings in `course.yml`, and the grader's code.
    """

    checks: str
    reference: str
    settings: str
    engine: str
    version: str
    libraries: str
    seed: int
    confinement: str


class ExerciseReport(Record, frozen=True, kw_only=True):
    """Result of one exercise in one submission.

    `reason` says why the exercise was not graded as usual, and `cause` is the cause of this reason.
    `reason_is_ours` is true if the reason contains no text from the submission. `note_causes` has
    the cause of each note. `basis` is set only in a class, where exercises can be graded at
    different times. `request` is the student's regrade request.
    """

    name: str
    title: str
    status: Status
    points: float
    max_points: float
    file: str = ""
    digest: str = ""
    reason: str = ""
    reason_is_ours: bool = False
    cause: Cause | None = None
    checks: tuple[CheckReport, ...] = ()
    notes: tuple[str, ...] = ()
    note_causes: tuple[Cause, ...] = ()
    printed: str = ""
    answers: tuple[WrittenAnswer, ...] = ()
    excused: bool = False
    repair: Repair | None = None
    basis: Basis | None = None
    request: str = ""

    @property
    def known_points(self) -> float | None:
        return None if self.status in WITHOUT_POINTS and not self.points else self.points


class Grader(Record, frozen=True, kw_only=True):
    """Grader and its environment. If two records are equal, equal submissions get equal reports."""

    version: str
    python: str
    numpy: str
    digest: str
    seed: int
    confinement: str
    torch: str = ""


class HandIn(Record, frozen=True, kw_only=True):
    """Details of a hand-in and its student, from the download and the roster.

    `platform_id` is the student's id on the platform. `ids` are ids on other platforms. `entries`
    are paths in the download. `at` is the time in ISO 8601, with a time zone if its source states
    one. `at_from` names the source of the time, or of the mark `late`.
    """

    platform: str = ""
    platform_id: str = ""
    name: str = ""
    email: str = ""
    section: str = ""
    ids: dict[str, str] = {}
    entries: tuple[str, ...] = ()
    at: str = ""
    at_from: str = ""
    late: bool = False
    enrolled: bool | None = None
    extra_days: float = 0.0
    late_days_used: float = 0.0
    excused: tuple[str, ...] = ()
    pseudonym: str = ""


class Lateness(Record, frozen=True, kw_only=True):
    """Effect of the late policy on one student's points for an assignment.

    `days` is the number of days after the deadline, rounded up. `free_days` is the number of days
    that cost nothing. `points` are the lost points of the assignment. `said` is the sentence for
    the student.
    """

    assignment: str
    due: str
    at: str = ""
    days: int = 0
    free_days: int = 0
    percent: float = 0.0
    points: float = 0.0
    said: str


class Adjustment(Record, frozen=True, kw_only=True):
    """Change of points by a person. If `exercise` is empty, the total changes.

    `entry` is a digest of the person's decision. Older records lack it. `place` is set for a
    comment on a line of the student's code. `said` is the sentence for the student.
    """

    exercise: str = ""
    check: str = ""
    points: float = 0.0
    said: str
    entry: str = ""
    place: Line | None = None


class Report(Record, frozen=True, kw_only=True):
    """Report on one student's submission, with all graded exercises."""

    schema: Literal[1] = 1
    student: str
    course: str
    status: Status
    points: float
    max_points: float
    grader: Grader
    exercises: tuple[ExerciseReport, ...]
    notes: tuple[str, ...] = ()
    hand_in: HandIn | None = None
    lateness: tuple[Lateness, ...] = ()
    adjustments: tuple[Adjustment, ...] = ()

    @property
    def changes(self) -> list[str]:
        """The sentences on lateness and adjustments, in their order of application."""
        return [
            *(each.said for each in self.adjustments if each.exercise),
            *(each.said for each in self.lateness),
            *(each.said for each in self.adjustments if not each.exercise),
        ]

    @property
    def known_points(self) -> float | None:
        known = any(e.known_points is not None for e in self.exercises if not e.excused)
        return self.points if self.points or known else None

    @property
    def line_comments(self) -> list[Adjustment]:
        return [each for each in self.adjustments if each.place is not None]

    @property
    def excused(self) -> bool:
        return bool(self.exercises) and all(exercise.excused for exercise in self.exercises)


def worst(statuses: list[Status]) -> Status:
    """Return the most severe status, or "missing" if all statuses are "missing"."""
    handed_in = [status for status in statuses if status != "missing"]
    return max(handed_in, key=SEVERITY.index) if handed_in else "missing"
