"""`course.yml` as typed data, and the folders of a course."""

import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path, PurePath
from typing import Annotated, Literal

import msgspec

from autograder.course.errors import NoCourse, UserError
from autograder.course.files import read_text
from autograder.course.lateness import LatePolicy, with_deadlines
from autograder.course.text import did_you_mean, number
from autograder.course.yaml_file import YamlKey, read_yaml, yaml_error

FILE_NAME = "course.yml"

Identifier = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]
Positive = Annotated[float, msgspec.Meta(gt=0)]
HintPolicy = Literal["practice", "homework", "exam"]
Library = Literal["numpy", "torch"]
Variant = Literal["none", "per-student"]
CellWithoutPoints = Literal[0, "empty", "excused"]
HiddenChecks = Literal["by policy", "held back", "shown"]
Moment = Annotated[datetime, msgspec.Meta(tz=True)]


class Block(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Block of `course.yml`. Unknown fields are errors."""


class Limits(Block, frozen=True, kw_only=True):
    """Limits for a submission: memory, and seconds of running time."""

    load_seconds: Positive = 10.0
    call_seconds: Positive = 5.0
    total_seconds: Positive = 60.0
    memory_mb: Annotated[int, msgspec.Meta(ge=64)] = 1024


class Question(Block, frozen=True, kw_only=True):
    """Question that students answer in words and a person grades.

    `rubric` lists the criteria for points. The student's answer is in the text cell
    `answer="NAME"`.
    """

    name: Identifier
    title: str
    points: Positive
    rubric: tuple[str, ...] = ()


class Exercise(Block, frozen=True, kw_only=True):
    """One exercise: its solution, its handed-out file and its checks.

    With `questions`, a person gives the points. The checks then only show which questions are
    answered. With `variant: per-student`, each student has their own numbers. With `repair: false`,
    for exercises with slow checks, the grader does not search for small changes that correct a
    wrong file.
    """

    name: Identifier
    title: str
    points: Positive
    needs: Library = "numpy"
    forbids: tuple[str, ...] = ()
    limits: Limits | None = None
    questions: tuple[Question, ...] = ()
    variant: Variant = "none"
    repair: bool = True


class Assignment(Block, frozen=True, kw_only=True):
    """Exercises that students hand in together."""

    name: Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")]
    title: str
    exercises: tuple[str, ...]
    due: datetime | None = None
    late: LatePolicy | None = None
    reveal_hidden: Moment | None = None


class ExportPolicy(Block, frozen=True, kw_only=True):
    """Cells for work without points in exports: 0, empty, or the text for excused students.

    `too_late` is for work that loses all points because it is late. The results do not change.
    """

    missing: CellWithoutPoints = "empty"
    not_loaded: CellWithoutPoints = "empty"
    too_late: CellWithoutPoints = 0


class Released(Block, frozen=True, kw_only=True):
    """Origin of a released course, written by `autograder release`.

    `course` is a digest of the course's checks and reference. `seeds` are the seeds of the recorded
    answers. `made_with` is the NumPy version of the recording.
    """

    course: str
    seeds: tuple[int, ...]
    made_with: str = ""


class CourseFile(Block, frozen=True, kw_only=True):
    """The whole of `course.yml`.

    `handed_out`, `solutions`, `checks` and `right` (alternative solutions) are folders of the
    course. `reference` is the package of correct functions. `helpers` are modules of `reference`
    that checks use. Helpers contain no solutions, so `autograder release` hands them out too.
    Students see the outcomes of hidden checks from the date `reveal_hidden` on. An assignment may
    have another date.
    """

    title: str
    exercises: Annotated[tuple[Exercise, ...], msgspec.Meta(min_length=1)]
    assignments: tuple[Assignment, ...] = ()
    hints: HintPolicy = "practice"
    late: LatePolicy | None = None
    reveal_hidden: Moment | None = None
    export: ExportPolicy = ExportPolicy()
    limits: Limits = Limits()
    seed: int = 0
    handed_out: str = "exercises"
    solutions: str = "solutions"
    reference: Identifier = "reference"
    checks: str = "reference/checks"
    right: str = "examples/right"
    helpers: tuple[str, ...] = ()
    released: Released | None = None


class Course:
    """Course on disk: its folders, and the content of its `course.yml`."""

    def __init__(self, root: Path, content: CourseFile) -> None:
        self.root = root
        self.content = content
        self.title = content.title
        self.exercises = {exercise.name: exercise for exercise in content.exercises}
        self.handed_out = root / content.handed_out  # the exercises as students get them
        self.solutions = root / content.solutions

    def exercise(self, name: str) -> Exercise:
        """Return the exercise with this name. For an unknown name, the error lists all names."""
        if name not in self.exercises:
            meant = did_you_mean(PurePath(name).stem, self.exercises)
            known = ", ".join(self.exercises)
            raise UserError(
                f"There is no exercise {name!r} in this course.{meant} It has: {known}."
            )
        return self.exercises[name]

    def assignment(self, name: str) -> Assignment:
        """Return the assignment with this name. For an unknown name, the error lists all names."""
        for assignment in self.content.assignments:
            if assignment.name == name:
                return assignment
        known = ", ".join(a.name for a in self.content.assignments) or "none"
        raise UserError(f"There is no assignment {name!r} in course.yml. It has: {known}.")

    def hidden_checks(self, exercise: str) -> HiddenChecks:
        dates = [a.reveal_hidden for a in self.content.assignments if exercise in a.exercises]
        date = next(filter(None, dates), self.content.reveal_hidden)
        if date is None:
            return "by policy"
        return "shown" if datetime.now(UTC) >= date else "held back"

    def limits(self, exercise: Exercise) -> Limits:
        return exercise.limits or self.content.limits

    @property
    def grading(self) -> tuple[Path, ...]:
        """The folders of the reference and the checks, or only the outer one of nested folders."""
        reference, checks = self.root / self.content.reference, self.root / self.content.checks
        return (reference,) if reference in checks.parents else (reference, checks)

    def solution_file(self, exercise: str) -> Path:
        return self.solutions / f"{exercise}.py"

    def right_answers(self, exercise: str) -> list[Path]:
        folder = self.root / self.content.right / exercise
        return [self.solution_file(exercise), *sorted(folder.glob("*.py"))]

    def checks_file(self, exercise: str) -> Path:
        return self.root / self.content.checks / f"test_{exercise}.py"


def find_course(*starts: Path, named: Path | None = None) -> Course:
    """Return the course of the folder `named`, or of the first of `starts` that has a course.

    A folder belongs to the nearest `course.yml` in the folder or above it. If none is in a course,
    the environment variable AUTOGRADER_COURSE names the folder of the course. There is no default
    course, so without one, raise `NoCourse`.
    """
    places = [place.resolve() for place in ([named] if named else starts)]
    for place in places:
        for folder in (place, *place.parents):
            if (folder / FILE_NAME).is_file():
                return load_course(folder / FILE_NAME)
    message = f"{places[0]} is not in a course: there is no {FILE_NAME} in it or above it."
    if not named:
        if elsewhere := os.environ.get("AUTOGRADER_COURSE"):
            return load_course(Path(elsewhere).resolve() / FILE_NAME)
        message += (
            " Name the course's folder with --course FOLDER or in the variable AUTOGRADER_COURSE, "
            "or create a course: autograder new course FOLDER"
        )
    raise NoCourse(message)


def load_course(path: Path) -> Course:
    """Read and validate a `course.yml`. Errors name file, line, field and expected value."""
    return parse_course(path, read_text(path))


def parse_course(path: Path, text: str) -> Course:
    content = read_yaml(path, text, CourseFile, with_deadlines)
    for steps, says in _wrong_names(content):
        field = f"assignments[{steps[1]}].exercises" if len(steps) > 3 else ""
        raise yaml_error(path, text, steps, says, field)
    return Course(path.parent, content)


def _wrong_names(content: CourseFile) -> Iterator[tuple[tuple[YamlKey, ...], str]]:
    """Yield the place of each error in names or sums, with a sentence about it."""
    seen: set[str] = set()
    for index, exercise in enumerate(content.exercises):
        if exercise.name in seen:
            yield ("exercises", index, "name"), f"the exercise `{exercise.name}` is listed twice."
        seen.add(exercise.name)
        whole = sum(question.points for question in exercise.questions)
        if exercise.questions and whole != exercise.points:
            says = f"expected {number(whole)} points, the sum of the questions of {exercise.name}."
            yield ("exercises", index, "points"), says
    named: set[str] = set()
    for index, assignment in enumerate(content.assignments):
        if assignment.name in named:
            says = f"two assignments are named `{assignment.name}`."
            yield ("assignments", index, "name"), says
        named.add(assignment.name)
        for place, name in enumerate(assignment.exercises):
            if name not in seen:
                says = f"expected the name of an exercise above, found `{name}`."
                yield ("assignments", index, "exercises", place), says
