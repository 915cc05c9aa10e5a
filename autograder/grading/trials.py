"""Processes that run edited files in a search for repairs. One process loads many files."""

import functools
from collections.abc import Callable, Sequence

import msgspec

from autograder.course.course_file import Exercise
from autograder.grading.judge import Judge
from autograder.sandbox.child import Child, ChildKind, Children, Place
from autograder.sandbox.peer import CourseFunction
from autograder.sandbox.process import WorkerProcess
from autograder.sandbox.session import WorkerSession
from autograder.sandbox.workers import Workers
from autograder.submission.source import Source
from autograder.worker.codec import Figure
from autograder.worker.messages import Reply, Request

CALL_SECONDS = 2.0  # seconds of processor time for one call in a trial
FILES = 40  # one process loads at most this many files
MAX_PRINTED = 256 * 1024  # the most characters that a trial may print
A_PROCESS, A_FIGURE = 3, 20  # a new process and a figure count as this many calls


class SharedWorker:
    """Process that loads one file after another. It ends when another process needs its place.

    It replaces a judge's `Children` during a search. An earlier file may affect the result of a
    trial. This does no harm, because a file that passes is graded again in new processes. `calls`
    is the number of calls for all files, and `seconds` is the time of their processes.
    """

    def __init__(self, children: Children) -> None:
        self.children = children
        self.worker: WorkerProcess | None = None
        self.calls = 0
        self.seconds = 0.0
        self._files = 0

    def take(self, kind: ChildKind) -> Child:
        """Return a new child of the judge. End the shared process if the child takes its place."""
        if kind.place == "first":
            self.close()
        return self.children.take(kind)

    def process(self, start: Callable[[], WorkerProcess]) -> WorkerProcess:
        """Return the process for the next file: the current process, or a new process."""
        if self._files >= FILES or (self.worker is not None and self.worker.has_ended):
            self.close()
        if self.worker is None:
            self.worker = start()
            self._files = 0
        self._files += 1
        self.calls += 1
        return self.worker

    def close(self) -> None:
        """End the process. The next file gets a new process."""
        if self.worker is not None:
            self.worker.end()
            self.worker = None


class TrialSession(WorkerSession):
    """Session for an edited file, which runs in the shared process."""

    def __init__(self, judge: Judge, exercise: Exercise, source: Source, shared: SharedWorker):
        super().__init__(_TrialWorkers(judge, exercise, source, shared))
        self.shared_worker = shared

    def ask(self, request: Request, functions: Sequence[CourseFunction] = ()) -> Reply:
        self.shared_worker.calls += 1
        reply = super().ask(request, functions)
        if isinstance(reply.value, Figure):
            self.shared_worker.calls += A_FIGURE
        return reply

    def note_printed(self, reply: Reply) -> None:
        """Record all printed text, even while the course's code runs, because nobody sees it."""
        self.workers.note_printed(reply.printed)


class _TrialWorkers(Workers):
    """The processes of a trial: the shared process, and new processes for fresh sessions."""

    def __init__(self, judge: Judge, exercise: Exercise, source: Source, shared: SharedWorker):
        limits = judge.course.limits(exercise)
        seconds = min(limits.call_seconds, CALL_SECONDS)
        limits = msgspec.structs.replace(limits, call_seconds=seconds)
        super().__init__(source, exercise.needs, limits, shared)
        self.shared = shared
        self.max_printed = MAX_PRINTED

    def start(self, session: object, place: Place) -> WorkerProcess:
        start = functools.partial(super().start, session, place)
        if isinstance(session, TrialSession):
            return self.shared.process(start)
        self.shared.calls += A_PROCESS
        return start()

    def let_go(self, worker: WorkerProcess) -> None:
        if worker is not self.shared.worker:
            worker.end()
