"""What the judge needs of a process that runs a student's code, however it was started."""

from abc import ABC, abstractmethod
from typing import IO, Protocol

from autograder.course import Library, Limits
from autograder.worker.confinement import Rung


class GraderTrouble(Exception):
    """Something of the grader's own failed; the student has no part in it.

    `killed` is true if a process was ended by force, from outside: another try may succeed.
    """

    killed = False


class Child(ABC):
    """A started process that waits for its first request."""

    @abstractmethod
    def open(self) -> tuple[IO[bytes], IO[bytes]]:
        """The line to it: a file to read from, and one to write to. Called once."""

    @abstractmethod
    def end(self) -> None:
        """End the process and all that it started, and free what it held."""

    @abstractmethod
    def wait(self, seconds: float) -> int | None:
        """Its exit code (negative: the signal that ended it), or None if it is still there."""


class Children(Protocol):
    """Where children come from."""

    confinement: Rung

    def take(self, library: Library, limits: Limits) -> Child:
        """A child of that kind, ready."""

    def close(self) -> None:
        """End what is still running."""
