"""The processes in which the edited files of a repair are tried: one loads many of them."""

import functools
from collections.abc import Callable, Sequence

import msgspec

from autograder.course.course_file import Exercise, Library, Limits
from autograder.grading.judge import Judge
from autograder.sandbox.child import Child, ChildKind, Children, Place
from autograder.sandbox.peer import CourseFunction
from autograder.sandbox.process import WorkerProcess
from autograder.sandbox.session import WorkerSession
from autograder.sandbox.workers import Workers
from autograder.submission.source import Source
from autograder.worker.codec import Figure
from autograder.worker.messages import Reply, Request

CALL_SECONDS = 0.5  # of the processor, in a trial
FILES = 40  # as many as one process loads
MAX_PRINTED = 256 * 1024  # characters of what a trial says of itself
A_PROCESS, A_FIGURE = 3, 20  # so many calls take as long as a new process, and a figure


class SharedWorker:
    """A process that loads one file after another, ended whenever another wants its place.

    It stands in for a judge's `Children` while a search runs. A process that remembers the file
    before can mislead a trial, and nobody else: a file that passes is graded again by itself.
    `calls` counts what all files were asked, and `seconds` what their processes took.
    """

    def __init__(self, children: Children) -> None:
        self.children = children
        self.worker: WorkerProcess | None = None
        self.calls = 0
        self.seconds = 0.0
        self._files = 0

    def take(self, kind: ChildKind) -> Child:
        """Return a child of the judge's own."""
        if kind.place == "first":
            self.close()
        return self.children.take(kind)

    def process(self, start: Callable[[], WorkerProcess]) -> WorkerProcess:
        """Return the process for the next file: that of the file before, or a new one."""
        if self._files >= FILES or (self.worker is not None and self.worker.has_ended):
            self.close()
        if self.worker is None:
            self.worker = start()
            self._files = 0
        self._files += 1
        self.calls += 1
        return self.worker

    def close(self) -> None:
        """End the process; the next file has another."""
        if self.worker is not None:
            self.worker.end()
            self.worker = None


class TrialSession(WorkerSession):
    """An edited file that is loaded into the shared process."""

    def __init__(
        self, judge: Judge, exercise: Exercise, source: Source, shared: SharedWorker
    ) -> None:
        limits = judge.course.limits(exercise)
        seconds = min(limits.call_seconds, CALL_SECONDS)
        limits = msgspec.structs.replace(limits, call_seconds=seconds)
        super().__init__(_TrialWorkers(source, exercise.needs, limits, shared))
        self.shared_worker = shared

    def ask(self, request: Request, functions: Sequence[CourseFunction] = ()) -> Reply:
        self.shared_worker.calls += 1
        reply = super().ask(request, functions)
        if isinstance(reply.value, Figure):
            self.shared_worker.calls += A_FIGURE
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
        self.max_printed = MAX_PRINTED

    def start(self, session: object, place: Place) -> WorkerProcess:
        start = functools.partial(super().start, session, place)
        if isinstance(session, TrialSession):
            return self.shared.process(start)
        self.shared.calls += A_PROCESS
        return start()

    def let_go(self, worker: WorkerProcess) -> None:
        """End a process, but leave the shared one to the next file."""
        if worker is not self.shared.worker:
            worker.end()
