"""What an examination finds, before it becomes part of a report."""

from dataclasses import dataclass
from typing import Literal

from autograder.course.text import printable
from autograder.report.model import Diagnosis, Line

MAX_FINDING = 1500


@dataclass(frozen=True)
class Finding:
    """A statement about a function's answers; see `Diagnosis` for `kind` and `told`."""

    kind: Literal["named", "located", "error"]
    says: str
    misconceptions: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()
    told: str = ""
    places: tuple[Line, ...] = ()

    def about(self, function: str) -> Diagnosis:
        """The record for the report."""
        return Diagnosis(
            kind=self.kind,
            finding=printable(self.says, MAX_FINDING),
            misconceptions=self.misconceptions,
            function=function,
            told=printable(self.told, MAX_FINDING),
            places=self.places,
        )
