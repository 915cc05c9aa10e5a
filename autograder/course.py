"""`course.yml`: what the course consists of, as typed data, and where a mistake in it is."""

import os
import re
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Annotated, Literal, get_args

import msgspec
import yaml

from autograder.errors import UserError
from autograder.lateness import LatePolicy, with_deadlines
from autograder.text import nearest, number

FILE_NAME = "course.yml"

Name = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]
Positive = Annotated[float, msgspec.Meta(gt=0)]
HintPolicy = Literal["practice", "homework", "exam"]
Library = Literal["numpy", "torch"]
Variant = Literal["none", "per-student"]


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """YAML without its own dates: a wrong one is then a mistake with a line."""

    yaml_implicit_resolvers = {
        first: [(tag, pattern) for tag, pattern in found if tag != "tag:yaml.org,2002:timestamp"]
        for first, found in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }


class Record(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A block of `course.yml`; a field that is not known here is a mistake."""


class Limits(Record, frozen=True, kw_only=True):
    """What a submission may use. Times are wall-clock seconds."""

    load_seconds: Positive = 10.0
    call_seconds: Positive = 5.0
    total_seconds: Positive = 60.0
    memory_mb: Annotated[int, msgspec.Meta(ge=64)] = 1024


class Question(Record, frozen=True, kw_only=True):
    """A question that is answered in words and graded by a person.

    `rubric` says for what there are points; the answer is the text cell `answer="NAME"`.
    """

    name: Name
    title: str
    points: Positive
    rubric: tuple[str, ...] = ()


class Exercise(Record, frozen=True, kw_only=True):
    """One exercise: its solution, the file that is handed out, and its checks.

    With `questions` a person gives the points, and the checks only say what was answered. With
    `variant: per-student` each student has numbers of their own. With `repair: false` a check does
    not look for a small change that mends an answer: where checks take long, a search takes longer.
    """

    name: Name
    title: str
    points: Positive
    needs: Library = "numpy"
    forbids: tuple[str, ...] = ()
    limits: Limits | None = None
    questions: tuple[Question, ...] = ()
    variant: Variant = "none"
    repair: bool = True


class Assignment(Record, frozen=True, kw_only=True):
    """Exercises that are handed in together."""

    name: Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")]
    title: str
    exercises: tuple[str, ...]
    due: datetime | None = None
    late: LatePolicy | None = None


class Released(Record, frozen=True, kw_only=True):
    """What a released course was made of: `autograder release` writes it.

    `course` is a digest of the course's checks and reference, `seeds` are those whose answers are
    recorded, `made_with` is the NumPy that they were recorded with.
    """

    course: str
    seeds: tuple[int, ...]
    made_with: str = ""


class CourseFile(Record, frozen=True, kw_only=True):
    """The whole of `course.yml`.

    `handed_out`, `solutions`, `checks` and `right` (right answers in other styles) are folders of
    the course, `reference` is a package in it. `helpers` are modules of that package that hold no
    answer: what checks share, which `autograder release` hands out with them.
    """

    title: str
    exercises: Annotated[tuple[Exercise, ...], msgspec.Meta(min_length=1)]
    assignments: tuple[Assignment, ...] = ()
    hints: HintPolicy = "practice"
    late: LatePolicy | None = None
    limits: Limits = Limits()
    seed: int = 0
    handed_out: str = "exercises"
    solutions: str = "solutions"
    reference: Name = "reference"
    checks: str = "reference/checks"
    right: str = "examples/right"
    helpers: tuple[str, ...] = ()
    released: Released | None = None


class Course:
    """A course on disk: the file's content and the folders it speaks of."""

    def __init__(self, root: Path, content: CourseFile) -> None:
        self.root = root
        self.content = content
        self.exercises = {exercise.name: exercise for exercise in content.exercises}

    @property
    def title(self) -> str:
        return self.content.title

    def exercise(self, name: str) -> Exercise:
        """The exercise of that name.

        Raises:
            UserError: no exercise has that name; it lists those that there are.
        """
        if name in self.exercises:
            return self.exercises[name]
        near = nearest(name, self.exercises)
        meant = f" Did you mean {near}?" if near else ""
        known = ", ".join(self.exercises)
        raise UserError(f"There is no exercise {name!r} in this course.{meant} It has: {known}.")

    def assignment(self, name: str) -> Assignment:
        """The assignment of that name.

        Raises:
            UserError: no assignment has that name.
        """
        for assignment in self.content.assignments:
            if assignment.name == name:
                return assignment
        known = ", ".join(a.name for a in self.content.assignments) or "none"
        raise UserError(f"There is no assignment {name!r} in course.yml. It has: {known}.")

    def limits(self, exercise: Exercise) -> Limits:
        return exercise.limits or self.content.limits

    @property
    def handed_out(self) -> Path:
        """The folder of the exercises as students get them."""
        return self.root / self.content.handed_out

    @property
    def grading(self) -> tuple[Path, ...]:
        """The folders of the reference and of the checks: one, where the checks are within it."""
        reference, checks = (
            self.root / self.content.reference,
            self.root / self.content.checks,
        )
        return (reference,) if reference in checks.parents else (reference, checks)

    @property
    def solutions(self) -> Path:
        return self.root / self.content.solutions

    def solution_file(self, exercise: str) -> Path:
        return self.solutions / f"{exercise}.py"

    def checks_file(self, exercise: str) -> Path:
        return self.root / self.content.checks / f"test_{exercise}.py"


def find_course(*starts: Path, named: Path | None = None) -> Course:
    """The course of the folder that is `named`, else that of the first start that is in one.

    A folder belongs to the nearest `course.yml` in it or above it. If no start is in a course, it
    is the one whose folder the environment names as AUTOGRADER_COURSE. There is no other: nothing
    is graded as part of a course that nobody named.

    Raises:
        UserError: there is none, or it has a mistake.
    """
    places = [place.resolve() for place in ([named] if named else starts)]
    for place in places:
        for folder in (place, *place.parents):
            if (folder / FILE_NAME).is_file():
                return load_course(folder / FILE_NAME)
    elsewhere = os.environ.get("AUTOGRADER_COURSE")
    if elsewhere and not named:
        return load_course(Path(elsewhere).resolve() / FILE_NAME)
    nowhere = f"{places[0]} is not in a course: there is no {FILE_NAME} in it or above it."
    if named:
        raise UserError(nowhere)
    raise UserError(
        f"{nowhere} Name the course's folder with --course FOLDER or in the environment as "
        f"AUTOGRADER_COURSE, or start a course: autograder new course FOLDER"
    )


def load_course(path: Path) -> Course:
    """Read and check a `course.yml`.

    Raises:
        UserError: naming the file, the line, the field and what was expected there.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise UserError(
            f"{path} is not UTF-8 text (byte {error.start}). Save it as UTF-8."
        ) from error
    return parse_course(path, text)


def parse_course(path: Path, text: str) -> Course:
    """The course that a `course.yml` with this text at this path is.

    Raises:
        UserError: naming the file, the line, the field and what was expected there.
    """
    try:
        data = yaml.load(text, Loader=_Loader)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise UserError(f"{path}, line {line}: this is not valid YAML: {error.problem}.") from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise UserError(f"{path}: this is not valid YAML: {error}.") from error
    if not isinstance(data, dict):
        raise UserError(f"{path}: expected fields such as `title:` and `exercises:`, found none.")
    try:
        content = msgspec.convert(with_deadlines(data), CourseFile)
    except msgspec.ValidationError as error:
        raise UserError(_explain(path, _tree(text), str(error))) from error
    _check_names(path, text, content)
    return Course(path.parent, content)


def _explain(path: Path, tree: yaml.Node, message: str) -> str:
    """A msgspec message and its `$.exercises[1].points`, as a line, a field and an expectation."""
    said, _, where = message.partition(" - at `")
    steps: list[str | int] = [
        int(step) if step.isdigit() else step
        for step in re.findall(r"[^.\[\]$]+", where.rstrip("`"))
    ]
    unknown = re.search(r"unknown field `(.*)`", said)
    if unknown:
        field = unknown.group(1)
        known = _known_fields(steps)
        near = nearest(field, known)
        expected = f"did you mean `{near}`?" if near else f"expected one of {', '.join(known)}"
        return f"{path}, line {_line(tree, [*steps, field])}: unknown field `{field}`; {expected}"
    field = f", field `{_dotted(steps)}`" if steps else ""
    return f"{path}, line {_line(tree, steps)}{field}: {_expected(said, steps)}."


def _expected(said: str, steps: Sequence[str | int]) -> str:
    """What msgspec said, with the choices where it does not list them."""
    choices: dict[str | int, object] = {
        "hints": HintPolicy,
        "needs": Library,
        "variant": Variant,
    }
    if said.startswith("Invalid enum value"):
        return f"expected one of {', '.join(get_args(choices[steps[-1]]))}"
    if said.startswith(("Invalid RFC3339", "Expected `datetime")):
        return "expected a date and time such as 2027-02-05T23:59+01:00"
    return said[0].lower() + said[1:]


def _known_fields(steps: Sequence[str | int]) -> list[str]:
    kinds: dict[str, type[msgspec.Struct]] = {
        "exercises": Exercise,
        "assignments": Assignment,
        "late": LatePolicy,
        "limits": Limits,
        "questions": Question,
        "released": Released,
    }
    named = [kinds[step] for step in steps if isinstance(step, str) and step in kinds]
    return [field.name for field in msgspec.structs.fields(named[-1] if named else CourseFile)]


def _dotted(steps: Sequence[str | int]) -> str:
    text = ""
    for step in steps:
        text += f"[{step}]" if isinstance(step, int) else f".{step}"
    return text.lstrip(".")


def _line(tree: yaml.Node, steps: Sequence[str | int]) -> int:
    """The line (from 1) of the node at `steps`, or of the nearest one above it."""
    node = tree
    line = node.start_mark.line
    for step in steps:
        found = None
        if isinstance(node, yaml.MappingNode):
            for key, value in node.value:
                if key.value == step:
                    found, line = value, key.start_mark.line
        elif isinstance(node, yaml.SequenceNode) and isinstance(step, int):
            found = node.value[step]
            line = found.start_mark.line
        if found is None:
            break
        node = found
    return line + 1


def _tree(text: str) -> yaml.Node:
    """The file, which is not empty, as nodes that know their lines."""
    tree = yaml.compose(text, Loader=yaml.SafeLoader)
    assert tree is not None
    return tree


def _check_names(path: Path, text: str, content: CourseFile) -> None:
    """What types cannot say: names are unique, and assignments name exercises that exist."""

    def line(*steps: str | int) -> int:
        return _line(_tree(text), steps)

    seen: set[str] = set()
    for index, exercise in enumerate(content.exercises):
        if exercise.name in seen:
            raise UserError(
                f"{path}, line {line('exercises', index, 'name')}: "
                f"the exercise `{exercise.name}` is listed twice."
            )
        seen.add(exercise.name)
        whole = sum(question.points for question in exercise.questions)
        if exercise.questions and whole != exercise.points:
            raise UserError(
                f"{path}, line {line('exercises', index, 'points')}: expected {number(whole)} "
                f"points, as many as the questions of `{exercise.name}` have together."
            )
    named: set[str] = set()
    for index, assignment in enumerate(content.assignments):
        if assignment.name in named:
            raise UserError(
                f"{path}, line {line('assignments', index, 'name')}: "
                f"two assignments are named `{assignment.name}`."
            )
        named.add(assignment.name)
        for place, name in enumerate(assignment.exercises):
            if name not in seen:
                raise UserError(
                    f"{path}, line {line('assignments', index, 'exercises', place)}, "
                    f"field `assignments[{index}].exercises`: "
                    f"expected the name of an exercise above, found `{name}`."
                )
