"""Interface to a worker process, for all ways to start one."""

from typing import Literal, NamedTuple, Protocol

from autograder.course.course_file import Library, Limits
from autograder.sandbox.connection import Clock, Connection

# The purposes of a process: the submission's answers, questions about the student's own steps, and
# the course's code.
Place = Literal["first", "own", "course"]


class InternalError(Exception):
    """Failure of the grader itself, not of the student's code.

    `killed` is true if something other than the grader killed a process, for example because memory
    was short. Then another try may succeed.
    """

    def __init__(self, message: str, killed: bool = False) -> None:
        super().__init__(message)
        self.killed = killed

    @property
    def finding(self) -> str:
        """Return the error as a sentence for a report."""
        return f"The grader itself failed: {self}."


class Cancelled(InternalError):
    """A submission was cancelled, because nobody waits for its result."""


class Child(Protocol):
    """Process that waits for its first request on `line`. `clock` measures its time."""

    line: Connection
    clock: Clock

    def end(self) -> None:
        """End the process and everything that it started, and free its resources."""

    def kill(self) -> None:
        """Stop the process, from any thread. `end` must still free its resources."""

    def ask_for_stack(self) -> None:
        """Ask the process to write its stack to `line`, if the system has a signal for this.

        Afterwards, the output of the process can no longer be read as messages.
        """

    def wait(self, seconds: float) -> int | None:
        """Wait up to `seconds`. Return the exit code, or None if the process still runs.

        A negative code is the signal that ended the process, or TOO_MANY_TASKS.
        """


class ChildKind(NamedTuple):
    """Kind of a child process that has imported `library` and the slow modules in `also`."""

    library: Library
    limits: Limits
    also: tuple[str, ...] = ()
    place: Place = "first"


class Children(Protocol):
    """Source of child processes."""

    def take(self, kind: ChildKind) -> Child:
        """Return a child of this kind that is ready, or raise InternalError if none can be started.

        A place has one running child at a time.
        """

    def close(self) -> None:
        """End all running children."""
