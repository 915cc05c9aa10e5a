"""The record from which everything that is shown or exported comes."""

from typing import Literal, get_args

import msgspec

CheckOutcome = Literal[
    "passed", "failed", "not run", "graded when handed in", "timed out", "crashed", "error"
]
# From harmless to what most needs somebody's eye; the status of a whole is its worst part's.
Status = Literal[
    "graded", "missing", "by hand", "not loaded", "timed out", "crashed", "needs a person"
]
SEVERITY: tuple[Status, ...] = get_args(Status)
CellValue = float | int | bool | str

# A part with one of these has no points yet, unless people gave some: a 0 would say too much.
WITHOUT_POINTS: frozenset[Status] = frozenset(
    {"missing", "by hand", "not loaded", "needs a person"}
)

# What a check's outcome makes of its exercise, where it makes something of it.
STATUS_OF: dict[CheckOutcome, Status] = {
    "error": "needs a person",
    "crashed": "crashed",
    "timed out": "timed out",
}


class Record(msgspec.Struct, frozen=True):
    """A part of the report."""


class Matrix(Record, frozen=True, kw_only=True):
    """At most 8×8 numbers out of an array of any shape.

    `at` is the place along the leading axes that `rows` is taken from; `top` and `left` are the
    indices of its first row and column. `wrong` marks the cells that differ. Numbers that JSON
    does not have are the texts "nan", "inf" and "-inf". `groups` says what each cell belongs to,
    a head for example, counted from 0; `names` are the names of the rows, where they have some.
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
    """A measured quantity against another, with the band of correct measurements."""

    name: str
    against: str
    x: tuple[float, ...]
    yours: tuple[CellValue, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]


class Evidence(Record, frozen=True, kw_only=True):
    """A failed comparison: the call, the student's value and the expected one.

    `function` is the student's function that was called. `sides` are the titles of both values.
    A value that is no array is a text, which may be cut and then ends with " …".
    `groups` is what the cells' groups are, "head"; `curves` are there in place of values.
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
        """Yours and expected, where they are arrays."""
        yours, expected = self.yours, self.expected
        if isinstance(yours, str) or isinstance(expected, str):
            return None, None
        return yours, expected

    @property
    def texts(self) -> list[tuple[str, str]]:
        """Yours and expected, each with its name, where they are no arrays."""
        sides = zip(self.sides, (self.yours, self.expected), strict=True)
        return [(name, side) for name, side in sides if isinstance(side, str)]


class Line(Record, frozen=True, kw_only=True):
    """A line of the student's source.

    The part that is meant begins in `text` at `column` and ends before `end`; 0 if it is all of it.
    """

    file: str
    line: int
    text: str = ""
    column: int = 0
    end: int = 0


# Why a check has no right answer, or an exercise no points.
CauseCode = Literal[
    # The check compared, or did not come to its end.
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
    # The check's own code stopped, or the engine did.
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
    "",  # in a record of an older version
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
    """Reason why there is no right answer, in fields; the sentence beside it is rendered from them.

    A cause holds exactly what its sentence shows, so two are equal if and only if their sentences
    are. `subject` is the function, value or file that it is about, `error` the name of an
    exception's class, with its `message`; `place` is a line of the student's source, `names` are
    those of other checks or of the file, `library` is the package that raised an exception, and
    `because` is what led to it.
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
    """One fact of a diagnosis: a code, and the values that its sentence shows."""

    code: str
    values: dict[str, str] = {}


# Where a check's finding stands in the sentence of its diagnosis.
Where = Literal["", "begins_with", "contains", "ends_with", "is"]


class Diagnosis(Record, frozen=True, kw_only=True):
    """A mistake that the answers show.

    kind: "named" if the student's numbers are those of the `misconceptions`; "located" if the
    finding says what is true of the answers and where they go wrong; "error" if it explains an
    exception. `function` is the student's function that it is about. `told` is as much of it as
    stands word for word in the course: nothing that a submission printed, raised or returned.
    `places` are lines of the student's source that it speaks of.

    `code` is the form of the finding, `calls` the kind of calls that it is said of (all, if empty),
    `statements` are its facts. `sentence` is the finding as people read it, with the function's
    name where it needs one; `repeats_finding` says where the check's own finding stands in it.
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
        """Render the sentence, in a record of an older version too."""
        if not self.sentence:
            needs_name = not self.finding.startswith(self.function)
            name = f"{self.function}: " if needs_name else ""
            msgspec.structs.force_setattr(self, "sentence", f"{name}{self.finding}")

    def beside(self, finding: str) -> "Diagnosis":
        """Return the diagnosis with the place of a check's own finding in its sentence."""
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
    """Knowledge of small edits of the submission after which every check passes.

    `said` is the sentence for the student. `kind` and `places` are the edits' own, where all that
    were found have them in common. The edits themselves are nowhere in a report.
    """

    said: str
    kind: str = ""
    places: tuple[Line, ...] = ()


class CheckReport(Record, frozen=True, kw_only=True):
    """Outcome of one check. `points` are the course's, after scaling.

    `finding` is the sentence of `cause`. Where nothing has a name, `group` is the same for all
    submissions that answer alike.
    `unwritten` names what the check asked for, where that is still as it was handed out.
    `required` is the line of the student's file that states the requirement that the check failed;
    reports of older versions have more.
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


class WrittenAnswer(Record, frozen=True, kw_only=True):
    """An answer in words; `points` and `comment` are a person's, None until there are any."""

    name: str
    title: str
    text: str
    max_points: float
    points: float | None = None
    comment: str = ""


class Basis(Record, frozen=True, kw_only=True):
    """All that a grade rests on besides the work.

    Digests of the exercise's checks, of the reference, of the exercise's settings in `course.yml`
    and of the grader itself, whose `version` is beside it; and what it ran with.
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

    `reason_is_ours` if running the submission has put nothing into the reason; `cause` is what
    the reason says, and `note_causes` what the notes say, in their order. `basis` is that of a
    class's grades: exercises of one report may have been graded at different times. `request` is
    what the student asks the instructor to look at again.
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
        """The points; None while nobody knows them."""
        return None if self.status in WITHOUT_POINTS and not self.points else self.points


class Grader(Record, frozen=True, kw_only=True):
    """The grader: two reports with the same grader and the same submission are the same."""

    version: str
    python: str
    numpy: str
    digest: str
    seed: int
    confinement: str
    torch: str = ""


class HandIn(Record, frozen=True, kw_only=True):
    """Facts that a platform's download and the roster give about a hand-in and of who made it.

    `platform` and `platform_id` are where it came from and the student's number there; `ids` are
    their numbers on other platforms, by the roster. `at` is the time as ISO 8601, without a zone
    where its source names none; `at_from` is that source, or what marks it as `late`. `pseudonym`
    is what the student is called in results without names.
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
    """Effect of the course's policy on the time of a hand-in; `said` is what the student reads.

    `days` are those after the deadline, begun ones whole; of them `free_days` cost nothing.
    `points` are taken off the assignment's.
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
    """A change of points by a person; of the total where no exercise is named.

    `entry` stands for the decision that it puts into effect; older records have none. `place` is
    the line of the student's code that a comment is about.
    """

    exercise: str = ""
    check: str = ""
    points: float = 0.0
    said: str
    entry: str = ""
    place: Line | None = None


class Report(Record, frozen=True, kw_only=True):
    """One student's submission: all that was graded together."""

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
        """Sentences on what lateness and people changed, in the order in which it was applied."""
        return [
            *(each.said for each in self.adjustments if each.exercise),
            *(each.said for each in self.lateness),
            *(each.said for each in self.adjustments if not each.exercise),
        ]

    @property
    def known_points(self) -> float | None:
        """The points; None while those of no part are known."""
        known = any(e.known_points is not None for e in self.exercises if not e.excused)
        return self.points if self.points or known else None

    @property
    def line_comments(self) -> list[Adjustment]:
        """People's comments at a line of the code, which the record has."""
        return [each for each in self.adjustments if each.place is not None]

    @property
    def excused(self) -> bool:
        """True if the student is excused from all of it."""
        return bool(self.exercises) and all(exercise.excused for exercise in self.exercises)


def worst(statuses: list[Status]) -> Status:
    """Return the most severe status of all parts; "missing" only if all are missing."""
    handed_in = [status for status in statuses if status != "missing"]
    return max(handed_in, key=SEVERITY.index) if handed_in else "missing"
