"""One student's line in the tables of a class."""

from typing import Literal

import msgspec

from autograder.report.model import Status


class Row(msgspec.Struct, frozen=True):
    """One student's line in the tables."""

    student: str
    points: dict[str, float]
    statuses: dict[str, Status]
    total: float
    maximum: float
    status: Status | Literal["excused"]
    notes: tuple[str, ...]
    page: str
    name: str = ""
    excused: frozenset[str] = frozenset()

    @property
    def said(self) -> str:
        """The notes in one line; where one ends stays seen, whatever is in them."""
        return " | ".join(self.notes)
