"""Record of a grading, from which all output and exports are made."""

from typing import Literal, get_args

import msgspec

CheckOutcome = Literal[
    "passed", "failed", "not run", "graded when handed in", "timed out", "crashed", "error"
]
# From harmless to most urgent; a report's status is that of its worst part.
Status = Literal[
    "graded", "missing", "by hand", "not loaded", "timed out", "crashed", "needs a person"
]
SEVERITY: tuple[Status, ...] = get_args(Status)
CellValue = float | int | bool | str

# An exercise with one of these has unknown points, not 0, unless people gave some.
WITHOUT_POINTS: frozenset[Status] = frozenset(
    {"missing", "by hand", "not loaded", "needs a person"}
)

# The status that an outcome of a check gives to its exercise.
STATUS_OF: dict[CheckOutcome, Status] = {
    "error": "needs a person",
    "crashed": "crashed",
    "timed out": "timed out",
}


class Record(msgspec.Struct, frozen=True):
    """A part of the report."""


class Matrix(Record, frozen=True, kw_only=True):
    """Excerpt of an array of any shape: at most 8×8 numbers.

    `at` is the index of the excerpt along the leading axes; `top` and `left` are the indices of its
    first row and column. `wrong` marks the cells that differ. Numbers that JSON does not have are
    the texts "nan", "inf" and "-inf". `groups` has the group of each cell, such as a head, counted
    from 0; `names` are the names of the rows, if they have any.
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
    """Measurements to draw as a curve: one quantity against another.

    `low` and `high` are the limits of the correct measurements at each `x`.
    """

    name: str
    against: str
    x: tuple[float, ...]
    yours: tuple[CellValue, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]


class Evidence(Record, frozen=True, kw_only=True):
    """A failed comparison: the call, the student's value and the expected one.

    `function` is the student's function that was called. `sides` are the titles of both values. A
    value that is not an array is a text, which ends with " …" if it was cut. `groups` is the word
    for the cells' groups, such as "head"; `curves` replace the values.
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
    def matrices(self) -> "tuple[Matrix | None, Matrix | None]":
        """Yours and expected if neither is a text, else None for both."""
        yours, expected = self.yours, self.expected
        if isinstance(yours, str) or isinstance(expected, str):
            return None, None
        return yours, expected

    @property
    def texts(self) -> list[tuple[str, str]]:
        """Those of yours and expected that are texts, each with its title."""
        sides = zip(self.sides, (self.yours, self.expected), strict=True)
        return [(name, side) for name, side in sides if isinstance(side, str)]


class Line(Record, frozen=True, kw_only=True):
    """A line of the student's source.

    The part to point at is `text[column:end]`; both are 0 if it is the whole line.
    """

    file: str
    line: int
    text: str = ""
    column: int = 0
    end: int = 0


# Reasons why a check has no right answer, or an exercise no points.
CauseCode = Literal[
    # The check compared values, or did not finish.
    "mismatch",
    "nothing_returned",
    "printed",
    "other_shape",
    "other_kind",
    "other_results",
    "argument_changed",
    "assertion",
    "no_end",
    # The student's code gave no answer.
    "not_defined",
    "no_value",
    "not_written",
    "sibling_not_written",
    "sibling_absent",
    "raised",
    "not_python",
    "endless_recursion",
    "out_of_memory",
    "exited",
    "keyboard",
    "not_comparable",
    "not_a_function",
    "axes_returned",
    "exception_returned",
    "timed_out",
    "not_called_again",
    "no_time_left",
    "load_timed_out",
    "crashed",
    "load_crashed",
    "make_crashed",
    "not_made",
    "not_loaded",
    "foreign_answer",
    "not_a_generator",
    "import_failed",
    "calls_unwritten",
    # The check's own code failed, or the engine did.
    "check_stopped",
    "unreadable_answer",
    "internal_error",
    # Not run.
    "not_selected",
    "needs_first",
    "enough",
    "internal_error_before",
    "skipped",
    # Not judged in a released course.
    "hidden",
    "not_recorded",
    "given_own_step",
    "given_sibling",
    "other_numpy",
    # Of an exercise.
    "forbidden_names",
    "answers_by_hand",
]

DiagnosisCode = Literal[
    "",  # in records of older versions
    "named",
    "two_mistakes",
    "in_some_calls",
    "in_wrong_calls",
    "and_other_calls",
    "and_something_else",
    "fact",
    "measure",
    "order_dependent",
    "always_same",
    "statements",
    "error",
    "own",
    "value",
]


class Cause(Record, frozen=True, kw_only=True):
    """The reason why there is no right answer; the report's sentence is made from these fields.

    Two causes are equal if and only if their sentences are. `subject` is the function, value or
    file that it is about, `error` is the class name of an exception with its `message`, and `place`
    is a line of the student's source. `names` are those of other checks or of the file, `library`
    is the package that raised an exception, and `because` is the cause before it.
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
    """A fact of a diagnosis: a code, and the values that its sentence contains."""

    code: str
    values: dict[str, str] = {}


# The place of a check's finding in the sentence of its diagnosis.
Where = Literal["", "begins_with", "contains", "ends_with", "is"]


class Diagnosis(Record, frozen=True, kw_only=True):
    """A mistake that the student's answers show.

    kind: "named" if the `misconceptions` give exactly the student's numbers; "located" if the
    finding describes the answers and where they go wrong; "error" if it explains an exception.
    `function` is the student's function that it is about. `told` is the part that the course's
    authors wrote, without anything that the submission printed, raised or returned. `places` are
    lines of the student's source.

    `code` is the form of the finding, `calls` the kind of calls that it is about (all, if empty),
    and `statements` are its facts. `sentence` is the finding with the function's name if it is
    needed; `repeats_finding` is the place of the check's own finding in it.
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
        """Set the sentence if it is missing, as in records of older versions."""
        if not self.sentence:
            needs_name = not self.finding.startswith(self.function)
            name = f"{self.function}: " if needs_name else ""
            msgspec.structs.force_setattr(self, "sentence", f"{name}{self.finding}")

    def beside(self, finding: str) -> "Diagnosis":
        """Return the diagnosis with `repeats_finding` set for a check's own finding."""
        place: Where = ""
        if finding and self.sentence == finding:
            place = "is"
        elif finding and self.sentence.startswith(finding):
            place = "begins_with"
        elif finding and self.sentence.endswith(finding):
            place = "ends_with"
        elif finding and finding in self.sentence:
            place = "contains"
        return msgspec.structs.replace(self, repeats_finding=place)


class Repair(Record, frozen=True, kw_only=True):
    """Small edits of the submission after which every check passes; a report does not show them.

    `said` is the sentence for the student. `kind` and `places` are set if all edits that were found
    have them in common.
    """

    said: str
    kind: str = ""
    places: tuple[Line, ...] = ()


class CheckReport(Record, frozen=True, kw_only=True):
    """The outcome of a check; `points` are the course's, after scaling.

    `finding` is the sentence of `cause`. `group` is the same for all submissions with the same
    unnamed answers. `unwritten` names the function that the check needs and that is still as handed
    out. `required` is the line of the student's file with the requirement that failed; reports of
    older versions have more.
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
        """True if it failed on what is written, and names neither the mistake nor a line."""
        found = self.diagnosis
        return (
            self.outcome == "failed"
            and not self.unwritten
            and self.place is None
            and (found is None or (found.kind != "named" and not found.places))
        )


class WrittenAnswer(Record, frozen=True, kw_only=True):
    """An answer in words; `points` and `comment` are a person's, with None until they are given."""

    name: str
    title: str
    text: str
    max_points: float
    points: float | None = None
    comment: str = ""


class Basis(Record, frozen=True, kw_only=True):
    """Everything that a grade depends on except the work.

    It has digests of the exercise's checks, the reference, the exercise's settings in `course.yml`
    and the grader, and the environment of the run. `version` is the grader's version.
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
    """One exercise of one submission.

    `reason_is_ours` is true if the reason contains nothing from the submission. `cause` is the
    cause of the reason, and `note_causes` are those of the notes, in order. `basis` is set in a
    class, as its exercises may have been graded at different times. `request` is the student's
    regrade request.
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
        """The points; None if they are not known yet."""
        return None if self.status in WITHOUT_POINTS and not self.points else self.points


class Grader(Record, frozen=True, kw_only=True):
    """The grader: with the same grader and the same submission, two reports are equal."""

    version: str
    python: str
    numpy: str
    digest: str
    seed: int
    confinement: str
    torch: str = ""


class HandIn(Record, frozen=True, kw_only=True):
    """Details of a hand-in and its student, from a platform's download and the roster.

    `platform` and `platform_id` are the platform and the student's number there; `ids` are the
    student's numbers on other platforms, from the roster. `at` is the time as ISO 8601, without a
    zone if its source names none; `at_from` is the source of the time, or of the mark `late`.
    `pseudonym` is the student's name in anonymous results.
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
    """The late policy's effect on an assignment; `said` is the sentence for the student.

    `days` counts days after the deadline, rounded up; `free_days` of them cost nothing. `points`
    are taken off the assignment.
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
    """A change of points by a person; of the total if no exercise is named.

    `entry` is a digest of the person's decision, empty in older records. `place` is the line of the
    student's code that a comment is about.
    """

    exercise: str = ""
    check: str = ""
    points: float = 0.0
    said: str
    entry: str = ""
    place: Line | None = None


class Report(Record, frozen=True, kw_only=True):
    """One student's submission, with all exercises that were graded."""

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
        """Sentences on lateness and adjustments, in the order in which they were applied."""
        return [
            *(each.said for each in self.adjustments if each.exercise),
            *(each.said for each in self.lateness),
            *(each.said for each in self.adjustments if not each.exercise),
        ]

    @property
    def known_points(self) -> float | None:
        """The points; None if those of all exercises are unknown."""
        known = any(e.known_points is not None for e in self.exercises if not e.excused)
        return self.points if self.points or known else None

    @property
    def line_comments(self) -> list[Adjustment]:
        """People's comments on lines of the code."""
        return [each for each in self.adjustments if each.place is not None]

    @property
    def excused(self) -> bool:
        """True if the student is excused from all exercises."""
        return bool(self.exercises) and all(exercise.excused for exercise in self.exercises)


def worst(statuses: list[Status]) -> Status:
    """Return the most severe of these statuses; "missing" only if all are "missing"."""
    handed_in = [status for status in statuses if status != "missing"]
    return max(handed_in, key=SEVERITY.index) if handed_in else "missing"
