"""Many edited files in one process, one after the other: what a search can afford.

A process that remembers the file before can mislead a trial, and nobody else: whatever passes here
is graded again by itself, in processes of its own.
"""

from collections.abc import Callable

from autograder.course import Library, Limits
from autograder.sandbox.child import Child, Children, Place
from autograder.sandbox.client import Answerer, Client
from autograder.sandbox.problems import StudentProblem
from autograder.sandbox.process import WorkerProcess
from autograder.submission.source import Source
from autograder.worker.codec import Figure
from autograder.worker.confinement import Level
from autograder.worker.messages import Reply, Request

FILES = 40  # as many as one process loads
HEARD = 256 * 1024  # characters of what a trial says of itself


class SharedLine:
    """A process that loads one file after another, ended whenever another wants its place.

    Stands in for the judge's `Children` while a search runs. `slow` is true once a figure has come
    back, or code of the course's was asked for, which runs beside the submission.
    """

    def __init__(self, children: Children) -> None:
        self.children = children
        self.confinement: Level = children.confinement
        self.worker: WorkerProcess | None = None
        self.slow = False
        self._files = 0

    lays_lines = False

    def take(
        self,
        library: Library,
        limits: Limits,
        also: tuple[str, ...] = (),
        place: Place = "first",
        side: int = -1,  # noqa: ARG002
    ) -> Child:
        self.slow = self.slow or place == "course"
        if place == "first":
            self.end()
        return self.children.take(library, limits, also, place)

    def process(self, start: Callable[[], Child]) -> WorkerProcess:
        """The process for the next file: that of the file before, or a new one."""
        if self._files >= FILES:
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

    def close(self) -> None:
        self.end()


class TrialClient(Client):
    """A submission that is loaded into the shared process."""

    def __init__(self, source: Source, library: Library, limits: Limits, line: SharedLine) -> None:
        super().__init__(source, library, limits, line)
        self.line = line
        self.ledger.room = HEARD

    def ask(self, request: Request, asked: Answerer | None = None) -> Reply:
        reply = super().ask(request, asked)
        self.line.slow = self.line.slow or isinstance(reply.value, Figure)
        return reply

    def _note_printed(self, reply: Reply) -> None:
        """All is heard, beside code of the course's too: it is never shown."""
        self.ledger.note_printed(reply.printed)

    def process(self) -> WorkerProcess:
        if self._worker is not None and self._worker is not self.line.worker:
            self.rest()  # another process has taken its place
        try:
            return super().process()
        except StudentProblem as problem:
            if problem.kind in {"timed out", "crashed"}:
                self.line.end()
            raise

    def _process(self) -> WorkerProcess:
        return self.line.process(self._child)

    def rest(self) -> None:
        """Leave the process to the next file."""
        super()._gone()

    def _gone(self) -> None:
        self.line.end()
        super()._gone()
