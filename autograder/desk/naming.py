"""Name the mistake of a group: record its results in the course, if `verify` passes."""

import contextlib
import re
import tempfile
import threading
import traceback
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import msgspec

from autograder.authoring.lint import refuse_authoring_errors
from autograder.authoring.verify import STEPS, Verifier
from autograder.checks.proxy import Submission
from autograder.course.course_file import FILE_NAME, Course, load_course
from autograder.course.errors import UserError
from autograder.course.files import write_atomically, write_files
from autograder.course.own_modules import importable
from autograder.course.text import one_line
from autograder.course.variants import SECRET
from autograder.diagnosis.mistakes import (
    ANSWERS,
    CODE,
    DRAWS,
    NamedAnswers,
    folder_of,
    recorded_answer,
)
from autograder.diagnosis.outcome import Outcome, group_id, same
from autograder.diagnosis.replay import Replay
from autograder.grading.diagnoses import Catalogue, Stopped, answer_to
from autograder.platforms.bundle import COURSE, course_files, files_below
from autograder.sandbox.levels import children_on, choose
from autograder.sandbox.session import WorkerSession
from autograder.sandbox.workers import Workers
from autograder.submission.source import Source

NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
MAX_NAME, MAX_TEXT = 40, 400
MAX_BYTES = 4 * 2**20
HINTS = 3

Key = tuple[str, str]  # exercise and group


class MistakeText(msgspec.Struct, frozen=True):
    """Texts for a group's mistake: name, finding and three hints."""

    id: str = ""
    finding: str = ""
    hints: tuple[str, ...] = ("", "", "")


class ConfinedWork(msgspec.Struct, frozen=True):
    """A group's submissions to an exercise, to run in a new process."""

    root: Path
    exercise: str
    group: str
    sources: tuple[Source, ...]
    own_code: bool  # true if submissions may run unconfined
    secret: tuple[Path, ...]  # folders that confined submissions cannot read


class GroupState(msgspec.Struct, frozen=True):
    """State of a group: the running job, the last job's error, and the file of its mistake."""

    running: bool = False
    trouble: str = ""
    words: MistakeText = MistakeText()
    path: Path | None = None


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

    def begin(self, group: Key, work: Callable[[], Path]) -> None:
        """Start a job that writes the file of a group's mistake."""
        if self.state(group).running:
            raise UserError("A job on this group is running. Wait until it ends.")
        self.change(group, running=True, trouble="")

        def run() -> None:
            path, trouble = None, ""
            with self._working:
                try:
                    path = work()
                except UserError as error:
                    trouble = str(error)
                except Exception as error:
                    traceback.print_exc()
                    name = type(error).__name__
                    trouble = f"The desk failed ({name}). The terminal shows the error."
                self.change(group, running=False, trouble=trouble, path=path)

        threading.Thread(target=run, daemon=True).start()


def checked_words(words: MistakeText) -> MistakeText:
    if not NAME.fullmatch(words.id) or len(words.id) > MAX_NAME:
        raise UserError(
            f"{one_line(words.id, 60)!r} cannot name a mistake. Use at most {MAX_NAME} lower-case "
            f"letters, digits and hyphens, such as `max-not-subtracted`."
        )
    finding, *hints = (" ".join(text.split()) for text in (words.finding, *words.hints))
    if len(hints) != HINTS or not all((finding, *hints)):
        raise UserError("Enter a message and three hints.")
    if max(map(len, (finding, *hints))) > MAX_TEXT:
        raise UserError(f"A message or a hint has at most {MAX_TEXT} characters.")
    return MistakeText(words.id, finding, tuple(hints))


def write_mistake(work: ConfinedWork, words: MistakeText) -> Path:
    """Call `record_mistake` in a new process that has loaded no course."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        try:
            return pool.submit(record_mistake, work, words).result()
        except BrokenProcessPool:
            raise UserError("The process that ran the submissions ended. Try again.") from None


def record_mistake(work: ConfinedWork, words: MistakeText) -> Path:
    """Record the results of a group in a new file of the course, and return its path.

    If the results cannot be recorded, or if `verify` does not pass with them, raise a `UserError`.
    """
    course = load_course(work.root / FILE_NAME)
    with importable(course):
        replay, answers = _answers(course, work)
        data = answers_file(words, replay, answers)
        path = new_file(course, work.exercise, words.id)
    if faults := _faults_with(course, work.exercise, path, data):
        raise UserError(
            f"Nothing was written, because `verify` does not pass with this mistake: "
            f"{' '.join(faults[:10])}"
        )
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, data, sync=True)
    return path


def _answers(course: Course, work: ConfinedWork) -> tuple[Replay, list[tuple[Outcome, ...]]]:
    """Run the submissions. Return the function's replay, and the outcomes of each in the group."""
    exercise, catalogue = course.exercise(work.exercise), Catalogue(course.content.reference)
    level = choose(None, work.own_code)
    with contextlib.ExitStack() as stack:
        scratch = stack.enter_context(tempfile.TemporaryDirectory(prefix="autograder-"))
        children = children_on(level, course, work.secret, Path(scratch))
        stack.enter_context(contextlib.closing(children))
        for function in catalogue.recipes(exercise.name):
            replay = catalogue.replay(exercise.name, function)
            assert replay is not None
            first, answers = len(replay.probes(1)), []
            for source in work.sources:
                workers = Workers(source, exercise.needs, course.limits(exercise), children)
                session = WorkerSession(workers)
                with contextlib.closing(session), contextlib.suppress(Stopped):
                    student, probes = Submission(session.fresh()), replay.probes(DRAWS)
                    found = [answer_to(student, replay.recipe, probe).outcome for probe in probes]
                    if group_id(found[:first]) == work.group:
                        answers.append(tuple(found))
            if answers:
                return replay, answers
    raise UserError(
        f"In {exercise.name}, no submission returns the results of group {work.group} any more. "
        f"Grade the class again. Then open the groups again."
    )


def answers_file(words: MistakeText, replay: Replay, answers: Sequence[Sequence[Outcome]]) -> bytes:
    """Return the file of a mistake with the results of a group. `answers` has equal results."""
    recipe, probes, everywhere = replay.recipe, replay.probes(DRAWS), range(len(answers[0]))
    giving = [replay.giving(replay.singles, outcomes, everywhere) for outcomes in answers]
    known = set.intersection(*({wrong[0].id for wrong in wrongs} for wrongs in giving))
    if len(known) == 1:
        raise UserError(f"These are results of the known mistake {known.pop()}. Grade again.")
    if words.id in {wrong.id for wrong in recipe.misconceptions}:
        raise UserError(f"{recipe.function} already has a mistake {words.id}. Choose another name.")
    if not recipe.comparison.is_exact:
        raise UserError("This function returns random values, so a mistake cannot be recorded.")
    for other in answers[1:]:
        pairs = zip(other, answers[0], probes, strict=True)
        if not all(same(outcome, its, probe.condition) for outcome, its, probe in pairs):
            raise UserError(
                "These results agree only to three digits, so there are two mistakes. The desk "
                "cannot record both as one."
            )
    first, second, third = words.hints
    records = tuple(map(recorded_answer, probes, answers[0]))
    named = NamedAnswers(words.id, recipe.function, words.finding, (first, second, third), records)
    data = msgspec.json.format(msgspec.json.encode(named), indent=1) + b"\n"
    if len(data) > MAX_BYTES:
        raise UserError("This group's answers are too long to be recorded.")
    return data


def new_file(course: Course, exercise: str, name: str) -> Path:
    folder = folder_of(course.root / course.content.reference / "misconceptions", exercise)
    stem = folder / name.replace("-", "_")
    for suffix in (CODE, ANSWERS):
        if stem.with_suffix(suffix).exists():
            raise UserError(f"{stem}{suffix} exists already. Choose another name.")
    return stem.with_suffix(ANSWERS)


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
