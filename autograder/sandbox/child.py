"""What the judge needs of a process that runs a student's code, however it was started."""

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Literal, Protocol

from autograder.course.course_file import Library, Limits
from autograder.sandbox.connection import Clock
from autograder.worker.confinement import Level

if TYPE_CHECKING:
    from autograder.sandbox.connection import Connection


# Where the submission answers; where it is asked about its own steps; where the course's code runs.
Place = Literal["first", "own", "course"]


class InternalError(Exception):
    """Something of the grader's own failed; the student has no part in it.

    `killed` is true if a process was ended by force, from outside: another try may succeed.
    """

    killed = False

    @property
    def finding(self) -> str:
        """It in a sentence, for a report."""
        return f"The grader itself failed: {self}."


class Cancelled(InternalError):
    """Nobody waits for the result any more."""


class NearItsMemory(InternalError):
    """A process that had answered before came near its limit: what is left tells of that."""


class Child(ABC):
    """A started process that waits for its first request. `clock` tells what time it has had."""

    clock: Clock

    @abstractmethod
    def open(self) -> "Connection":
        """The line to it. Called once; whoever calls it closes the line."""

    @abstractmethod
    def end(self) -> None:
        """End the process and all that it started, and free what it held."""

    @abstractmethod
    def kill(self) -> None:
        """Stop what it does, from any thread; what it holds is still to be freed by `end`."""

    @abstractmethod
    def wait(self, seconds: float) -> int | None:
        """Its exit code (negative: the signal that ended it), or None if it is still there."""


class Children(Protocol):
    """Where children come from."""

    confinement: Level
    lays_lines: bool  # whether a child can have a descriptor beside that of its line

    def take(
        self,
        library: Library,
        limits: Limits,
        also: tuple[str, ...] = (),
        place: Place = "first",
        side: int = -1,
    ) -> Child:
        """A child of that kind, ready, that has modules at hand which are slow to import.

        With `side`, it has that descriptor too: a line to another child, which no judge reads.
        There is one child at a time in each place.
        """

    def close(self) -> None:
        """End what is still running."""
