"""Name the mistake of a group: write a new file into the course, if `verify` passes."""

import contextlib
import tempfile
import threading
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from autograder.authoring.lint import refuse_authoring_errors
from autograder.authoring.verify import STEPS, Verifier
from autograder.checks.proxy import Submission
from autograder.course.course_file import FILE_NAME, Course, Exercise, load_course
from autograder.course.errors import UserError
from autograder.course.files import write_atomically, write_files
from autograder.course.own_modules import importable
from autograder.course.variants import SECRET
from autograder.desk.changed_step import ChangedStep, changed_step
from autograder.desk.mistake_file import MistakeText, answers_file, code_file, file_of
from autograder.desk.regrading import MessageChange
from autograder.diagnosis.mistakes import DRAWS
from autograder.diagnosis.outcome import Outcome, group_id, same
from autograder.diagnosis.replay import Replay
from autograder.grading.diagnoses import Catalogue, Stopped, answer_to
from autograder.grading.judge import Judge
from autograder.grading.repair import is_worth_looking, look_for_repair
from autograder.platforms.bundle import COURSE, course_files, files_below
from autograder.sandbox.child import Children
from autograder.sandbox.levels import children_on, choose
from autograder.sandbox.session import WorkerSession
from autograder.sandbox.workers import Workers
from autograder.submission.source import Source

T = TypeVar("T")
Key = tuple[str, str]  # exercise and group


class ConfinedWork(msgspec.Struct, frozen=True):
    """A group's submissions to an exercise, to run in a new process."""

    root: Path
    exercise: str
    sources: tuple[Source, ...]
    own_code: bool  # true if submissions may run unconfined
    secret: tuple[Path, ...]  # folders that confined submissions cannot read
    group: str = ""


class GroupAnswers(msgspec.Struct):
    """A function's replay, and the outcomes of submissions that return the group's results."""

    replay: Replay
    outcomes: tuple[tuple[Outcome, ...], ...]
    sources: tuple[Source, ...]

    def known_mistake(self) -> str:
        """Return the name of the mistake that gives these results. If there is none, return ""."""
        replay, everywhere = self.replay, range(len(self.outcomes[0]))
        fitting = [replay.giving(replay.singles, answers, everywhere) for answers in self.outcomes]
        common = set.intersection(*({wrong[0].id for wrong in wrongs} for wrongs in fitting))
        return common.pop() if len(common) == 1 else ""

    def why_not_recorded(self) -> str:
        """Return why these results cannot be recorded as a mistake, or "" if they can."""
        if not self.replay.recipe.comparison.is_exact:
            return "This function returns random values, so a mistake cannot be recorded."
        probes, first = self.replay.probes(DRAWS), self.outcomes[0]
        equal_up_to_rounding = all(
            same(outcome, its, probe.condition)
            for other in self.outcomes[1:]
            for outcome, its, probe in zip(other, first, probes, strict=True)
        )
        why = "These results agree only to three digits, so there are two mistakes."
        return "" if equal_up_to_rounding else why


class ExaminedGroup(msgspec.Struct, frozen=True):
    """A group's function, and the number of examined submissions that return its results."""

    function: str
    asked: int
    alike: int
    step: ChangedStep | None = None
    why_not: str = ""  # reason why the results cannot be recorded, if there is no step
    repair: str = ""  # sentence on a repair
    known: str = ""  # mistake's name if the course has learnt it meanwhile


class NewMistake(msgspec.Struct, frozen=True):
    """File of a new mistake, or the faults that `verify` found with it."""

    path: Path
    by_code: bool
    faults: tuple[str, ...] = ()


class GroupState(msgspec.Struct, frozen=True):
    """State of a group: the running job, and the last job's error."""

    students: tuple[str, ...] = ()
    doing: str = ""
    trouble: str = ""
    words: MistakeText = MistakeText("", "", ("", "", ""))
    examined: ExaminedGroup | None = None
    mistake: NewMistake | None = None
    changes: tuple[MessageChange, ...] = ()
    difference: str = ""
    applied: bool = False


class GroupJobs:
    """States and jobs of the groups of a class. Jobs run one at a time: each uses a core."""

    def __init__(self) -> None:
        self._changing, self._working = threading.Lock(), threading.Lock()
        self._states: dict[Key, GroupState] = {}

    def state(self, group: Key) -> GroupState:
        return self._states.get(group, GroupState())

    def change(self, group: Key, **values: Any) -> None:
        with self._changing:
            self._states[group] = msgspec.structs.replace(self.state(group), **values)

    def begin(self, group: Key, doing: str, work: Callable[[], dict[str, Any]]) -> None:
        if self.state(group).doing:
            raise UserError("A job on this group is running. Wait until it ends.")
        self.change(group, doing=doing, trouble="")

        def run() -> None:
            with self._working:
                try:
                    values = work()
                except UserError as error:
                    values = {"trouble": str(error)}
                except Exception as error:
                    traceback.print_exc()
                    name = type(error).__name__
                    values = {"trouble": f"The desk failed ({name}). The terminal shows the error."}
                self.change(group, doing="", **values)

        threading.Thread(target=run, daemon=True).start()


def in_new_process(function: Callable[..., T], *args: Any) -> T:
    """Call a function in a new process that has loaded no course."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        try:
            return pool.submit(function, *args).result()
        except BrokenProcessPool:
            raise UserError("The process that ran the submissions ended. Try again.") from None


@contextlib.contextmanager
def confined(course: Course, work: ConfinedWork) -> Iterator[Children]:
    """Start processes for submissions, confined as in `grade`."""
    level = choose(None, work.own_code)
    with tempfile.TemporaryDirectory(prefix="autograder-") as scratch:
        yield children_on(level, course, work.secret, Path(scratch))


def examine(work: ConfinedWork) -> ExaminedGroup:
    course = load_course(work.root / FILE_NAME)
    exercise = course.exercise(work.exercise)
    with importable(course):
        answers = _answers(course, exercise, work)
        asked, alike = len(work.sources), len(answers.sources)
        if known := answers.known_mistake():
            return ExaminedGroup(answers.replay.recipe.function, asked, alike, known=known)
        step = changed_step(answers.replay, answers.outcomes, course.root)
    return ExaminedGroup(
        answers.replay.recipe.function,
        asked,
        alike,
        step,
        why_not=answers.why_not_recorded() if step is None else "",
        repair=_repair_sentence(course, exercise, answers.sources[0], work),
    )


def write_mistake(work: ConfinedWork, words: MistakeText) -> NewMistake:
    course = load_course(work.root / FILE_NAME)
    exercise = course.exercise(work.exercise)
    with importable(course):
        answers = _answers(course, exercise, work)
        if words.id in {known.id for known in answers.replay.recipe.misconceptions}:
            raise UserError(
                f"{answers.replay.recipe.function} already has a mistake {words.id}. Choose "
                f"another name."
            )
        step = changed_step(answers.replay, answers.outcomes, course.root)
        if step is None and (why_not := answers.why_not_recorded()):
            raise UserError(why_not)
        path = file_of(course, exercise.name, words.id, step is not None)
        if step is not None:
            data = code_file(exercise.name, answers.replay.recipe.function, words, step).encode()
        else:
            data = answers_file(words, answers.replay, answers.outcomes[0])
    faults = _faults_with(course, exercise.name, path, data)
    if not faults:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, data, sync=True)
    return NewMistake(path, step is not None, tuple(faults))


def _answers(course: Course, exercise: Exercise, work: ConfinedWork) -> GroupAnswers:
    catalogue = Catalogue(course.content.reference)
    limits = course.limits(exercise)
    with confined(course, work) as children, contextlib.closing(children):
        for function in catalogue.recipes(exercise.name):
            replay = catalogue.replay(exercise.name, function)
            assert replay is not None
            alike, answers = [], []
            for source in work.sources:
                session = WorkerSession(Workers(source, exercise.needs, limits, children))
                with contextlib.closing(session), contextlib.suppress(Stopped):
                    if outcomes := _outcomes(Submission(session.fresh()), replay, work.group):
                        alike.append(source)
                        answers.append(outcomes)
            if alike:
                return GroupAnswers(replay, tuple(answers), tuple(alike))
    raise UserError(
        f"In {exercise.name}, no submission returns the results of group {work.group} any more. "
        f"Grade the class again. Then open the groups again."
    )


def _outcomes(submission: Submission, replay: Replay, group: str) -> tuple[Outcome, ...]:
    """Return a submission's outcomes, or () if the first ones differ from the group's."""
    first = len(replay.probes(1))
    outcomes: list[Outcome] = []
    for probe in replay.probes(DRAWS):
        if len(outcomes) == first and group_id(outcomes) != group:
            return ()
        outcomes.append(answer_to(submission, replay.recipe, probe).outcome)
    return tuple(outcomes)


def _repair_sentence(course: Course, exercise: Exercise, source: Source, work: ConfinedWork) -> str:
    with confined(course, work) as children, Judge(course, [exercise], children) as judge:
        graded = judge.run(source)
        if not is_worth_looking(exercise, source, graded.results, "practice"):
            return ""
        repair = look_for_repair(judge, graded)
    return repair.said if repair is not None else ""


def _faults_with(course: Course, exercise: str, path: Path, data: bytes) -> list[str]:
    """Copy the course, add a new file, and return the faults of an exercise, without mutants."""
    right = course.content.right
    with tempfile.TemporaryDirectory(prefix="autograder-") as scratch:
        root = Path(scratch).resolve() / COURSE
        files = dict(course_files(course))
        files |= files_below(course.root / right, f"{COURSE}/{right}")
        if (course.root / SECRET).is_file():
            files[f"{COURSE}/{SECRET}"] = (course.root / SECRET).read_bytes()
        files[f"{COURSE}/{path.relative_to(course.root).as_posix()}"] = data
        write_files(root.parent, files)
        copy = load_course(root / FILE_NAME)
        try:
            refuse_authoring_errors(copy, [copy.exercise(exercise)])
            verifier = Verifier(copy, copy.exercise(exercise))
            return verifier.run([step for step in STEPS if step != "mutants"]).faults
        except UserError as error:
            return [str(error).replace(str(root), str(course.root))]
