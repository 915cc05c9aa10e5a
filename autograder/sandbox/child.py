"""Interface of worker processes, however they start."""

from typing import Literal, NamedTuple, Protocol

from autograder.course.course_file import Library, Limits
from autograder.sandbox.connection import Clock, Connection

# The purposes of a process: the submission's answers, questions about the student's own steps, and
# the course's code.
Place = Literal["first", "own", "course"]


class InternalError(Exception):
    """Error: the grader itself failed.

    `killed` is true if something other than the grader killed a process, for example because the
    memory was full. Another try may then succeed.
    """

    def __init__(self, message: str, killed: bool = False) -> None:
        super().__init__(message)
        self.killed = killed

    @property
    def finding(self) -> str:
        """Return the error as a sentence for a report."""
        return f"The grader itself failed: {self}."


class Cancelled(InternalError):
    """Exception: a submission was cancelled."""


class Child(Protocol):
    """Process that waits for a first request on `line`. `clock` measures the process's time."""

    line: Connection
    clock: Clock

    def end(self) -> None:
        """End the process and all processes that it started, and free all resources."""

    def kill(self) -> None:
        """Stop the process, from any thread. Call `end` afterwards to free resources."""

    def ask_for_stack(self) -> None:
        """Ask the process to write its call stack to `line`, if the system has a signal for this.

        After the call, `line` carries the stack instead of messages.
        """

    def wait(self, seconds: float) -> int | None:
        """Wait up to `seconds` for the exit code. If the process still runs, return None.

        A negative code is the signal that ended the process, or TOO_MANY_TASKS.
        """


class ChildKind(NamedTuple):
    """Kind of a child process, by its imports: `library` and the slow modules in `also`."""

    library: Library
    limits: Limits
    also: tuple[str, ...] = ()
    place: Place = "first"


class Children(Protocol):
    """Source of child processes."""

    def take(self, kind: ChildKind) -> Child:
        """Return a ready child of this kind, or raise `InternalError` if none can start.

        Each *place* of a submission has at most one running child.
        """

    def close(self) -> None:
        """End all running children."""
