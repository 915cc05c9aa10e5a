"""Marks come by two ways, the desk and a table: which of an answer's counts.

What was entered last counts. A table's cells have no time: all that is known is whether they are
still those that were last read off or written. So a cell that somebody changed is newer than what
was known then; and where the desk has given another mark since, nobody can tell which of the two is
meant, and a person has to say so.
"""

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from autograder.classroom.marks_log import GivenMark, MarkEntry


class InTable(msgspec.Struct, frozen=True):
    """What a table's row says; `bound` is the answer that it is for, nothing for whichever."""

    points: float | None = None
    comment: str = ""
    bound: str = ""

    @property
    def said(self) -> tuple[float | None, str]:
        return self.points, " ".join(self.comment.split())

    @property
    def is_blank(self) -> bool:
        return self.said == (None, "")


class Settled(NamedTuple):
    """`two`: the desk's mark, where the table has another. `last`: what counts, if the file's."""

    two: GivenMark | None = None
    last: GivenMark | None = None


def settled(entries: Sequence[MarkEntry], row: InTable | None) -> Settled:
    """What counts of the marks of one answer.

    Args:
        entries: those of the file, in order; at least one.
        row: the table's; None where it has no row for the answer.
    """
    last = entries[-1]
    if row is None or not is_changed(entries, row):
        return Settled(last=last.mark)
    if last.way == "table":  # and the table was changed since
        return Settled()
    if row.is_blank or row.said == last.mark.said:
        return Settled(last=last.mark)
    return Settled(two=last.mark)


def is_changed(entries: Sequence[MarkEntry], row: InTable) -> bool:
    """Whether a table says something else than when it was last read off or written."""
    known = of_the_table(entries)
    if known is None:
        return not row.is_blank
    confirmed = not row.bound and bool(known.answer)
    return row.said != known.said or (confirmed and not row.is_blank)


def of_the_table(entries: Sequence[MarkEntry]) -> GivenMark | None:
    """What the table said when it was last read off or written."""
    lines = [(entry.line, entry.mark) for entry in entries if entry.way == "table"]
    return max(lines, key=lambda each: each[0])[1] if lines else None
