"""From a group without a name to a misconception of the course's: looked at, written, verified.

The course's code is loaded in a process of its own each time, so that it is the code as it is now,
and what is written takes effect at once.
"""

import shutil
import tempfile
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from autograder.authoring.lint import refuse_authoring_errors
from autograder.authoring.verify import Verifier
from autograder.course.course_file import FILE_NAME, Course, Exercise, load_course
from autograder.course.errors import UserError
from autograder.course.files import write_atomically
from autograder.course.own_modules import importable
from autograder.course.variants import SECRET
from autograder.desk.changed_step import ChangedStep, changed_step
from autograder.desk.group_answers import GroupAnswers, answers_of_group, are_one
from autograder.desk.mistake_file import (
    MistakeText,
    answers_file,
    checked_words,
    code_file,
    file_of,
)
from autograder.diagnosis.mistakes import DRAWS
from autograder.grading.judge import Judge
from autograder.grading.repair import is_worth_looking, look_for_repair
from autograder.sandbox.levels import children_on, choose
from autograder.submission.source import Source

# `verify` on a copy of the course that has the new mistake: before anything of it counts.


LEFT_OUT = shutil.ignore_patterns("__pycache__", ".*")


def faults_with(course: Course, exercise: str, path: Path, data: bytes) -> list[str]:
    """What no longer holds of an exercise once a file of this content is in the course.

    Right answers keep their marks, every mistake has its own name and no other, and the seeds
    hold; mutants are left out, since they say nothing of names.
    """
    with tempfile.TemporaryDirectory(prefix="autograder-") as scratch:
        root = Path(scratch).resolve() / "course"
        _copy(course, root)
        place = root / path.relative_to(course.root)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
        copy = load_course(root / FILE_NAME)
        try:
            refuse_authoring_errors(copy, [copy.exercise(exercise)])
            with Verifier(copy, copy.exercise(exercise)) as verifier:
                return verifier.run(with_mutants=False).faults
        except UserError as error:
            return [str(error).replace(str(root), str(course.root))]


def _copy(course: Course, root: Path) -> None:
    """All of a course that grading and verifying it reads."""
    content = course.content
    root.mkdir()
    for name in (FILE_NAME, SECRET):
        if (course.root / name).is_file():
            shutil.copy(course.root / name, root / name)
    folders = (content.reference, content.checks, content.solutions, content.handed_out)
    for folder in (*folders, content.right):
        if (course.root / folder).is_dir():
            shutil.copytree(
                course.root / folder, root / folder, ignore=LEFT_OUT, dirs_exist_ok=True
            )


FromApart = TypeVar("FromApart")


class GroupSubmissions(msgspec.Struct, frozen=True):
    """A group, and the work of some of those in it.

    `own_code` if it may run unconfined; `secret` are folders that it must not read.
    """

    root: Path
    exercise: str
    group: str
    sources: tuple[Source, ...]
    own_code: bool = False
    secret: tuple[Path, ...] = ()


class ExaminedGroup(msgspec.Struct, frozen=True):
    """What was found out about a group: whose function, how many of those asked are alike.

    `step` is the changed step that answers as they do; where there is none, `why_not` says why
    the answers cannot be recorded, and nothing if they can. `mended` is what a repair says.
    `known` is the name that they have by now, if somebody has given them one since.
    """

    function: str
    asked: int
    alike: int
    step: ChangedStep | None = None
    why_not: str = ""
    mended: str = ""
    known: str = ""


class NewMistake(msgspec.Struct, frozen=True):
    """What became of a name: the file that it stands in, or the faults for which it does not."""

    path: Path
    by_code: bool
    faults: tuple[str, ...] = ()


def apart(function: Callable[..., FromApart], *args: Any) -> FromApart:
    """What a function gives in a process of its own, which has loaded nothing of a course yet.

    Raises:
        UserError: what the function raised, or its process ended.
    """
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        try:
            return pool.submit(function, *args).result()
        except BrokenProcessPool:
            raise UserError("The process that looked at the group ended. Try it again.") from None


def look(work: GroupSubmissions) -> ExaminedGroup:
    """Find out about a group, in this process.

    Raises:
        UserError: nothing that was read answers as the group does.
    """
    course = load_course(work.root / FILE_NAME)
    exercise = course.exercise(work.exercise)
    with importable(course):
        answers = _answers(course, exercise, work)
        known = _known(answers)
        if known:
            asked, alike = len(work.sources), len(answers.sources)
            return ExaminedGroup(answers.function, asked, alike, known=known)
        step = changed_step(answers, course.root)
    why_not = "" if step is not None else _why_not(answers)
    found = ExaminedGroup(answers.function, len(work.sources), len(answers.sources), step, why_not)
    mended = _mended(course, exercise, answers.sources[0], work)
    return msgspec.structs.replace(found, mended=mended)


def name(work: GroupSubmissions, words: MistakeText) -> NewMistake:
    """Write a group's mistake into the course, if `verify` holds with it; in this process.

    Raises:
        UserError: the words or the answers are not such that it can be written.
    """
    words = checked_words(words)
    course = load_course(work.root / FILE_NAME)
    exercise = course.exercise(work.exercise)
    with importable(course):
        answers = _answers(course, exercise, work)
        _refuse_known(answers, words.id)
        step = changed_step(answers, course.root)
        if step is None and _why_not(answers):
            raise UserError(_why_not(answers))
        path = file_of(course, exercise.name, words.id, step is not None)
        data = _content(exercise.name, answers, words, step)
    faults = faults_with(course, exercise.name, path, data)
    if not faults:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, data, sync=True)
    return NewMistake(path, step is not None, tuple(faults))


def _answers(course: Course, exercise: Exercise, work: GroupSubmissions) -> GroupAnswers:
    level = choose(None, work.own_code)
    with tempfile.TemporaryDirectory(prefix="autograder-") as scratch:
        children = children_on(level, course, work.secret, Path(scratch))
        try:
            return answers_of_group(course, exercise, work.group, work.sources, children)
        finally:
            children.close()


def _content(
    exercise: str, answers: GroupAnswers, words: MistakeText, step: ChangedStep | None
) -> bytes:
    if step is not None:
        return code_file(exercise, answers.function, words, step).encode()
    probes = answers.replay.probes(DRAWS)
    return answers_file(answers.function, words, probes, answers.outcomes[0])


def _why_not(answers: GroupAnswers) -> str:
    """Why a group's answers cannot stand for a mistake."""
    if not answers.replay.recipe.comparison.is_exact:
        return "What this function answers is drawn, so answers alone cannot name a mistake in it."
    if not are_one(answers):
        return "These answers are alike to three digits and not the same: there are two mistakes."
    return ""


def _known(answers: GroupAnswers) -> str:
    """The one mistake that answers as all of them do, where the course has it."""
    everywhere = range(len(answers.outcomes[0]))
    fitting = [answers.replay.fitting(each, everywhere) for each in answers.outcomes]
    names = [{wrong[0].id for wrong in each} for each in fitting]
    common = set.intersection(*names)
    return common.pop() if len(common) == 1 else ""


def _refuse_known(answers: GroupAnswers, name: str) -> None:
    known = {each.id for each in answers.replay.recipe.misconceptions}
    if name in known:
        raise UserError(f"{answers.function} has a mistake {name} already: choose another name.")


def _mended(course: Course, exercise: Exercise, source: Source, work: GroupSubmissions) -> str:
    """Which line's change mends one of them, by the search that `check` makes."""
    with tempfile.TemporaryDirectory(prefix="autograder-") as scratch:
        level = choose(None, work.own_code)
        children = children_on(level, course, work.secret, Path(scratch))
        with Judge(course, [exercise], children) as judge:
            graded = judge.run(source)
            if not is_worth_looking(exercise, source, graded.results, "practice"):
                return ""
            found = look_for_repair(judge, exercise, source, graded)
    return found.said if found is not None else ""
