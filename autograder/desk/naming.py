"""Naming of a group's mistake: examine the group, write the mistake's file, verify the course."""

import contextlib
import shutil
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from autograder.authoring.lint import refuse_authoring_errors
from autograder.authoring.verify import STEPS, Verifier
from autograder.course.course_file import FILE_NAME, Course, Exercise, load_course
from autograder.course.errors import UserError
from autograder.course.files import write_atomically
from autograder.course.own_modules import importable
from autograder.course.variants import SECRET
from autograder.desk.changed_step import ChangedStep, changed_step
from autograder.desk.group_answers import GroupAnswers, answers_of_group, are_one_mistake
from autograder.desk.mistake_file import (
    MistakeText,
    answers_file,
    code_file,
    file_of,
)
from autograder.diagnosis.mistakes import DRAWS
from autograder.grading.judge import Judge
from autograder.grading.repair import is_worth_looking, look_for_repair
from autograder.sandbox.child import Children
from autograder.sandbox.levels import children_on, choose
from autograder.submission.source import Source

T = TypeVar("T")
LEFT_OUT = shutil.ignore_patterns("__pycache__", ".*")


def faults_with(course: Course, exercise: str, path: Path, data: bytes) -> list[str]:
    """Verify an exercise on a copy of the course that has a new file. Return the faults.

    Mutants are not tried, because they have nothing to do with names.
    """
    with tempfile.TemporaryDirectory(prefix="autograder-") as scratch:
        root = Path(scratch).resolve() / "course"
        root.mkdir()
        for name in (FILE_NAME, SECRET):
            if (course.root / name).is_file():
                shutil.copy(course.root / name, root / name)
        content = course.content  # the folders that grading and verifying read
        folders = (content.reference, content.checks, content.solutions, content.handed_out)
        for folder in (*folders, content.right):
            if (course.root / folder).is_dir():
                source = course.root / folder
                shutil.copytree(source, root / folder, ignore=LEFT_OUT, dirs_exist_ok=True)
        place = root / path.relative_to(course.root)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
        copy = load_course(root / FILE_NAME)
        try:
            refuse_authoring_errors(copy, [copy.exercise(exercise)])
            verifier = Verifier(copy, copy.exercise(exercise))
            return verifier.run([each for each in STEPS if each != "mutants"]).faults
        except UserError as error:
            return [str(error).replace(str(root), str(course.root))]


class ConfinedWork(msgspec.Struct, frozen=True):
    """Submissions of a group or of one student for an exercise, which run in a new process.

    With `own_code`, they may run unconfined. Submissions must not read the folders in `secret`.
    """

    root: Path
    exercise: str
    sources: tuple[Source, ...]
    own_code: bool
    secret: tuple[Path, ...]
    group: str = ""
    seed: int | None = None


@contextlib.contextmanager
def confined(course: Course, work: ConfinedWork) -> Iterator[Children]:
    """Start processes for submissions, confined as in `grade`.

    Raises:
        UserError: nothing can confine the code here.
    """
    level = choose(None, work.own_code)
    with tempfile.TemporaryDirectory(prefix="autograder-") as scratch:
        yield children_on(level, course, work.secret, Path(scratch))


class ExaminedGroup(msgspec.Struct, frozen=True):
    """The function of a group, and how many of the examined submissions have the group's answers.

    If the change of one step gives these answers, `step` is that change. Otherwise, `why_not` is
    the reason if the answers cannot be recorded. `repair` is the sentence of a repair. `known` is
    the mistake's name, if it is named now.
    """

    function: str
    asked: int
    alike: int
    step: ChangedStep | None = None
    why_not: str = ""
    repair: str = ""
    known: str = ""


class NewMistake(msgspec.Struct, frozen=True):
    """File of a new mistake, or the faults that prevented it."""

    path: Path
    by_code: bool
    faults: tuple[str, ...] = ()


def in_new_process(function: Callable[..., T], *args: Any) -> T:
    """Call a function in a new process, which has not loaded any course.

    Raises:
        UserError: the function raised this error, or the process ended.
    """
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        try:
            return pool.submit(function, *args).result()
        except BrokenProcessPool:
            raise UserError("The process that ran the submissions ended. Try again.") from None


def examine(work: ConfinedWork) -> ExaminedGroup:
    """Examine a group. This runs in the current process.

    Raises:
        UserError: no submission that was read has the group's answers.
    """
    course = load_course(work.root / FILE_NAME)
    exercise = course.exercise(work.exercise)
    with importable(course):
        answers = _answers(course, exercise, work)
        known = _known(answers)
        step = changed_step(answers, course.root) if not known else None
    return ExaminedGroup(
        answers.function,
        len(work.sources),
        len(answers.sources),
        step,
        why_not="" if known or step is not None else why_not_recorded(answers),
        repair="" if known else _repair_sentence(course, exercise, answers.sources[0], work),
        known=known,
    )


def write_mistake(work: ConfinedWork, words: MistakeText) -> NewMistake:
    """Write a group's mistake into the course, if `verify` passes with the new mistake.

    Raises:
        UserError: the name is taken, or the answers cannot be recorded.
    """
    course = load_course(work.root / FILE_NAME)
    exercise = course.exercise(work.exercise)
    with importable(course):
        answers = _answers(course, exercise, work)
        if words.id in {each.id for each in answers.replay.recipe.misconceptions}:
            raise UserError(
                f"{answers.function} already has a mistake {words.id}. Choose another name."
            )
        step = changed_step(answers, course.root)
        if step is None and (why_not := why_not_recorded(answers)):
            raise UserError(why_not)
        path = file_of(course, exercise.name, words.id, step is not None)
        if step is not None:
            data = code_file(exercise.name, answers.function, words, step).encode()
        else:
            probes = answers.replay.probes(DRAWS)
            data = answers_file(answers.function, words, probes, answers.outcomes[0])
    faults = faults_with(course, exercise.name, path, data)
    if not faults:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, data, sync=True)
    return NewMistake(path, step is not None, tuple(faults))


def _answers(course: Course, exercise: Exercise, work: ConfinedWork) -> GroupAnswers:
    with confined(course, work) as children, contextlib.closing(children):
        return answers_of_group(course, exercise, work.group, work.sources, children)


def why_not_recorded(answers: GroupAnswers) -> str:
    """Return why a group's answers cannot be recorded as a mistake, or "" if they can."""
    if not answers.replay.recipe.comparison.is_exact:
        return "This function's answers are random, so recorded answers cannot name a mistake."
    if not are_one_mistake(answers):
        return "These answers agree to three digits only, so there are two mistakes."
    return ""


def _known(answers: GroupAnswers) -> str:
    """Return the name of the only mistake that gives the group's answers, or an empty text."""
    replay, everywhere = answers.replay, range(len(answers.outcomes[0]))
    fitting = [replay.giving(replay.singles, each, everywhere) for each in answers.outcomes]
    common = set.intersection(*({wrong[0].id for wrong in each} for each in fitting))
    return common.pop() if len(common) == 1 else ""


def _repair_sentence(course: Course, exercise: Exercise, source: Source, work: ConfinedWork) -> str:
    """Return the sentence of a repair of one submission, found by the search of `check`."""
    with confined(course, work) as children, Judge(course, [exercise], children) as judge:
        graded = judge.run(source)
        if not is_worth_looking(exercise, source, graded.results, "practice"):
            return ""
        found = look_for_repair(judge, graded)
    return found.said if found is not None else ""
