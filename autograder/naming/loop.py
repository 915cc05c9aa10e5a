"""From a group without a name to a misconception of the course's: looked at, written, verified.

The course's code is loaded in a process of its own each time, so that it is the code as it is now,
and what is written takes effect at once.
"""

import tempfile
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from autograder.course import FILE_NAME, Course, Exercise, load_course
from autograder.errors import UserError
from autograder.files import write_whole
from autograder.grading.session import Judge
from autograder.naming.answering import GroupAnswers, answers_of_group, are_one
from autograder.naming.changed_step import ChangedStep, changed_step
from autograder.naming.course_files import (
    InWords,
    answers_file,
    checked_words,
    code_file,
    file_of,
)
from autograder.naming.proof import faults_with
from autograder.own_modules import importable
from autograder.recorded.named_since import DRAWS
from autograder.repair.look import is_worth_looking, look_for_repair
from autograder.sandbox.levels import children_on, choose
from autograder.submission.source import Source

FromApart = TypeVar("FromApart")


class GroupOfWork(msgspec.Struct, frozen=True):
    """A group, and the work of some of those in it.

    `own_code` if it may run unconfined; `secret` are folders that it must not read.
    """

    root: Path
    exercise: str
    group: str
    sources: tuple[Source, ...]
    own_code: bool = False
    secret: tuple[Path, ...] = ()


class LookedAt(msgspec.Struct, frozen=True):
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


def look(work: GroupOfWork) -> LookedAt:
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
            return LookedAt(answers.function, asked, alike, known=known)
        step = changed_step(answers, course.root)
    why_not = "" if step is not None else _why_not(answers)
    found = LookedAt(answers.function, len(work.sources), len(answers.sources), step, why_not)
    mended = _mended(course, exercise, answers.sources[0], work)
    return msgspec.structs.replace(found, mended=mended)


def name(work: GroupOfWork, words: InWords) -> NewMistake:
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
        write_whole(path, data, sync=True)
    return NewMistake(path, step is not None, tuple(faults))


def _answers(course: Course, exercise: Exercise, work: GroupOfWork) -> GroupAnswers:
    level = choose(None, work.own_code)
    with tempfile.TemporaryDirectory(prefix="autograder-") as scratch:
        children = children_on(level, course, work.secret, Path(scratch))
        try:
            return answers_of_group(course, exercise, work.group, work.sources, children)
        finally:
            children.close()


def _content(
    exercise: str, answers: GroupAnswers, words: InWords, step: ChangedStep | None
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


def _mended(course: Course, exercise: Exercise, source: Source, work: GroupOfWork) -> str:
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
