"""The released course: put together, recorded, and looked through before anybody gets it."""

import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import msgspec
import numpy as np

from autograder.course import FILE_NAME, Course, Exercise, HintPolicy, load_course
from autograder.errors import UserError
from autograder.grading.plugin import CheckResult
from autograder.own_modules import importable
from autograder.recorded.known import FOLLOWING
from autograder.recorded.named_since import known_mistakes
from autograder.recorded.packing import FOLDER, SUFFIX, pack
from autograder.release.around import around
from autograder.release.collected import checks_of
from autograder.release.leaks import leaks
from autograder.release.paper import PACKAGE, FileForm, PaperFiles, paper, pictures
from autograder.release.record_all import How, RecordedPart, RecordingTask, record_all
from autograder.release.recording import HINTS, ReferenceAnswers, finished
from autograder.release.wheel import wheel
from autograder.text import few, several

Bytes = dict[str, bytes]
Checks = Mapping[str, Sequence[CheckResult]]


class Handout(msgspec.Struct, frozen=True):
    """What is to be released, and how."""

    exercises: tuple[Exercise, ...]
    policy: HintPolicy
    form: FileForm = "py"
    seeds: int = 3


def bundle(
    course: Course, wanted: Handout, say: Callable[[str], None], how: How | None = None
) -> Bytes:
    """All files of the released course, by their path.

    Raises:
        UserError: it cannot be released, or somebody stopped it; it says why.
    """
    exercises = wanted.exercises
    checks = checks_of(course, [exercise.name for exercise in exercises])
    with importable(course):
        files = paper(course, exercises, wanted.policy, wanted.form, wanted.seeds)
        shown, secrets = _texts(course, wanted, checks)
    wheel_name, wheel_data = wheel()
    files |= around(course, exercises, wanted.form, wheel_name, np.__version__)
    whole: Bytes = {name: text.encode() for name, text in files.items()}
    whole |= pictures(course, files)
    _refuse_leaks(leaks(whole, course, exercises, secrets, shown))  # before what takes long
    whole |= _records(course, files, wanted, checks, say, how or How())
    whole[wheel_name] = wheel_data
    _refuse_leaks(leaks(whole, course, exercises, secrets, shown))
    return dict(sorted(whole.items()))


def _refuse_leaks(found: Sequence[str]) -> None:
    if found:
        raise UserError(
            f"Nothing is released: in {several(len(found), 'place')} something of an answer would "
            f"be. Checks reach answers through the fixtures `reference` and `modules`, or by "
            f"names that they import from the reference. {few(list(found), 8)}"
        )


def _texts(course: Course, wanted: Handout, checks: Checks) -> tuple[list[str], list[str]]:
    """Hints and findings that students may see by the policy, and texts that they may not."""
    most, exam = HINTS[wanted.policy], wanted.policy == "exam"
    shown: list[str] = []
    secret: list[str] = []
    for exercise in wanted.exercises:
        secret += [line for question in exercise.questions for line in question.rubric]
        hints = [check.hints for check in checks[exercise.name]]
        known = known_mistakes(course.content.reference, exercise.name)
        for recipe in known.recipes.values():
            hints += [wrong.hints for wrong in recipe.misconceptions]
            (secret if exam else shown).extend(wrong.finding for wrong in recipe.misconceptions)
        shown += [hint for each in hints for hint in each[:most]]
        secret += [hint for each in hints for hint in each[most:]]
    return shown, [text for text in secret if text not in shown]


def _records(
    course: Course,
    files: PaperFiles,
    wanted: Handout,
    checks: Checks,
    say: Callable[[str], None],
    how: How,
) -> Bytes:
    """What is recorded for checks, and for the diagnosis, unless no finding is shown."""
    parts: tuple[RecordedPart, ...] = ("mistakes", "checks")
    if wanted.policy == "exam":
        parts = ("checks",)
    with tempfile.TemporaryDirectory(prefix="autograder-") as scratch:
        folder = Path(scratch).resolve()
        write(folder, {name: text.encode() for name, text in files.items()})
        made = load_course(folder / FILE_NAME).content.released
        assert made is not None
        tasks = [
            RecordingTask(course.root, each.name, part, wanted.policy, made.seeds, folder)
            for each in wanted.exercises
            for part in parts
        ]
        found = record_all(course, tasks, how, say)
    about, records = (made.course, made.seeds), {}
    for (name, part), data in found.items():
        place = f"{PACKAGE}/{FOLDER}/{name}"
        if part == "mistakes" and data:
            records[f"{place}{FOLLOWING}"] = data
        elif part == "checks":
            answers = msgspec.msgpack.decode(data, type=ReferenceAnswers)
            exercise = course.exercise(name)
            record = finished(answers, exercise, checks[name], wanted.policy, about)
            records[f"{place}{SUFFIX}"] = pack(record)
    return records


def write(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write files into a folder, which is made."""
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
