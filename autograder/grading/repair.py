"""Verified repair: small edits of a student's own code after which every check passes.

Nothing here guesses. An edit counts once the edited file has passed all checks, and what is said
of it is that: with a change in this line, they pass.
"""

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import msgspec

from autograder.checks.check_result import CheckResult
from autograder.course.course_file import Exercise, HintPolicy, Library, Limits
from autograder.diagnosis.repair.targets import find_targets
from autograder.grading.judge import Judge
from autograder.grading.judge_requests import Graded, RunOptions
from autograder.report.model import ExerciseReport, Repair
from autograder.sandbox.child import Child, Children, InternalError, Place
from autograder.sandbox.peer import CourseFunction
from autograder.sandbox.process import WorkerProcess
from autograder.sandbox.session import WorkerSession
from autograder.sandbox.workers import Workers
from autograder.submission.source import Source
from autograder.worker.codec import Figure
from autograder.worker.confinement import Level
from autograder.worker.messages import Reply, Request

if TYPE_CHECKING:
    from autograder.diagnosis.repair.search import Trial
    from autograder.diagnosis.repair.traces import Known

LOOKING = "Looking for where it goes wrong …"
CALL_SECONDS = 0.5  # of the processor, in a trial
FILES = 40  # as many as one process loads
HEARD = 256 * 1024  # characters of what a trial says of itself


def is_worth_looking(
    exercise: Exercise, source: Source, results: Sequence[CheckResult], policy: HintPolicy
) -> bool:
    """Return whether checks failed in a way without a name, and the policy lets more be said."""
    outcomes = {result.outcome for result in results}
    if policy == "exam" or exercise.questions or not exercise.repair or "failed" not in outcomes:
        return False
    if not outcomes <= {"passed", "failed", "not run", "not told"}:
        return False  # what crashes, or does not end, would do so many times
    if any(result.kind == "not loaded" for result in results):
        return False
    return bool(find_targets(source, results).failed)


def look_for_repair(judge: Judge, graded: Graded) -> Repair | None:
    """Return what a search for a verified repair finds; points and results are as they were."""
    from autograder.diagnosis.repair.search import search
    from autograder.diagnosis.repair.sentences import describe_repair  # few checks come to need it

    exercise, source = graded.exercise, graded.session.source
    right_answers = judge.course.right_answers(exercise.name)
    try:
        found = search(
            lambda: _open_trials(judge, exercise), exercise, right_answers, source, graded.results
        )
    except (InternalError, RecursionError, MemoryError):  # the report stands without it
        return None
    return describe_repair(found, shown_only=judge.course.content.released is not None)


def with_repair(judge: Judge, graded: Graded) -> ExerciseReport:
    """Return the report with what `look_for_repair` finds."""
    return msgspec.structs.replace(graded.report, repair=look_for_repair(judge, graded))


_KNOWN: WeakKeyDictionary[Judge, dict[tuple[str, ...], "Known"]] = WeakKeyDictionary()


@contextlib.contextmanager
def _open_trials(judge: Judge, exercise: Exercise) -> Iterator["JudgeTrials"]:
    """Open the shared process, which stands in for the judge's own for as long as this lasts."""
    worker = SharedWorker(judge.children)
    try:
        yield JudgeTrials(judge, exercise, worker)
    finally:
        worker.close()


class JudgeTrials:
    """Trials that a judge grades; `known` is kept with the judge."""

    def __init__(self, judge: Judge, exercise: Exercise, worker: "SharedWorker") -> None:
        self.judge = judge
        self.exercise = exercise
        self.worker = worker
        limits = judge.course.limits(exercise)
        seconds = min(limits.call_seconds, CALL_SECONDS)
        self.limits = msgspec.structs.replace(limits, call_seconds=seconds)
        self.known = _KNOWN.setdefault(judge, {})

    @property
    def slow(self) -> bool:
        """True once a figure has come back, or code of the course's has run beside a file."""
        return self.worker.slow

    def quick(self, source: Source, checks: Sequence[str]) -> "Trial":
        """Grade a file in the shared process, up to its first failure."""
        from autograder.diagnosis.repair.search import Trial

        workers = _TrialWorkers(source, self.exercise.needs, self.limits, self.worker)
        session = TrialSession(workers)
        graded = self.judge.run(session, RunOptions(frozenset(checks), "a failure"), self.worker)
        return Trial(graded.results, session.printed, session.spent)

    def in_full(
        self, source: Source, checks: Sequence[str] | None, more: int
    ) -> Sequence[CheckResult]:
        """Grade a file in processes of its own, up to its first failure."""
        names = None if checks is None else frozenset(checks)
        wanted = RunOptions(names, "a failure", self.judge.seed + more)
        return self.judge.run(source, wanted, self.worker).results


class SharedWorker:
    """A process that loads one file after another, ended whenever another wants its place.

    It stands in for the judge's `Children` while a search runs. A process that remembers the file
    before can mislead a trial, and nobody else: a file that passes is graded again by itself.
    `slow` is true once a figure has come back, or code of the course's runs beside a submission.
    """

    lays_lines = False

    def __init__(self, children: Children) -> None:
        self.children = children
        self.confinement: Level = children.confinement
        self.worker: WorkerProcess | None = None
        self.slow = False
        self._files = 0

    def take(
        self,
        library: Library,
        limits: Limits,
        also: tuple[str, ...] = (),
        place: Place = "first",
    ) -> Child:
        self.slow = self.slow or place == "course"
        if place == "first":
            self.end()
        return self.children.take(library, limits, also, place)

    def process(self, start: Callable[[], Child]) -> WorkerProcess:
        """Return the process for the next file: that of the file before, or a new one."""
        if self._files >= FILES or (self.worker is not None and self.worker.has_ended):
            self.end()
        if self.worker is None:
            self.worker = WorkerProcess(start())
            self._files = 0
        self._files += 1
        return self.worker

    def end(self) -> None:
        if self.worker is not None:
            self.worker.end()
            self.worker = None

    close = end


class TrialSession(WorkerSession):
    """A submission that is loaded into the shared process."""

    def __init__(self, workers: "_TrialWorkers") -> None:
        super().__init__(workers)
        self.shared_worker = workers.shared

    def ask(self, request: Request, functions: Sequence[CourseFunction] = ()) -> Reply:
        reply = super().ask(request, functions)
        self.shared_worker.slow = self.shared_worker.slow or isinstance(reply.value, Figure)
        return reply

    def note_printed(self, reply: Reply) -> None:
        """Note all that was printed, beside code of the course's too: it is never shown."""
        self.workers.note_printed(reply.printed)


class _TrialWorkers(Workers):
    """The processes of a trial: the shared one, and others for its fresh sessions."""

    def __init__(
        self, source: Source, library: Library, limits: Limits, shared: SharedWorker
    ) -> None:
        super().__init__(source, library, limits, shared)
        self.shared = shared
        self.max_printed = HEARD

    def start(self, session: object, place: Place) -> WorkerProcess:
        if isinstance(session, TrialSession):
            return self.shared.process(lambda: self.take_child(place))
        return super().start(session, place)

    def let_go(self, worker: WorkerProcess) -> None:
        """End a process, but leave the shared one to the next file."""
        if worker is not self.shared.worker:
            worker.end()
