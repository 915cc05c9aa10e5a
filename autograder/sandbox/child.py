"""A worker's process as the judge sees it, however it was started."""

from abc import ABC, abstractmethod
from typing import Literal, NamedTuple, Protocol

from autograder.course.course_file import Library, Limits
from autograder.sandbox.connection import Clock, Connection

# Where the submission answers; where it is asked about its own steps; where the course's code runs.
Place = Literal["first", "own", "course"]


class InternalError(Exception):
    """A failure of the grader's own, in which the student has no part.

    `killed` is true if a process was ended by force, from outside: another try may succeed.
    """

    killed = False

    @property
    def finding(self) -> str:
        """Return the error as a sentence, for a report."""
        return f"The grader itself failed: {self}."


class Cancelled(InternalError):
    """Nobody waits for the result any more."""


class Child(ABC):
    """A started process that waits for its first request. `clock` tells what time it has had."""

    clock: Clock

    @abstractmethod
    def open(self) -> Connection:
        """Return the line to it. Called once; whoever calls it closes the line."""

    @abstractmethod
    def end(self) -> None:
        """End the process and all that it started, and free what it held."""

    @abstractmethod
    def kill(self) -> None:
        """Stop what it does, from any thread; what it holds is still to be freed by `end`."""

    @abstractmethod
    def ask_for_stack(self) -> None:
        """Ask the process for its stack, written to its own connection.

        Nothing happens on a system without such a signal. What the process sends after that cannot
        be read as messages.
        """

    @abstractmethod
    def wait(self, seconds: float) -> int | None:
        """Return its exit code, or None if it is still there after so many seconds.

        A negative code is the signal that ended it, or TOO_MANY_TASKS.
        """


class ChildKind(NamedTuple):
    """The kind of a child: its limits, its place, and the modules at hand that are slow to import.

    These are the library's and those in `also`.
    """

    library: Library
    limits: Limits
    also: tuple[str, ...] = ()
    place: Place = "first"


class Children(Protocol):
    """A source of children."""

    def take(self, kind: ChildKind) -> Child:
        """Return a child of that kind, ready. There is one child at a time in each place.

        Raises:
            InternalError: none can be started.
        """

    def close(self) -> None:
        """End what is still running."""
