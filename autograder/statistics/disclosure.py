"""Which numbers of students may be told: none below five, nor what tells one by subtraction."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

FEWEST = 5  # students that a published number stands for at least


class Band(NamedTuple):
    """Neighbouring bars taken together: the first, the one after the last, and the students."""

    start: int
    end: int
    students: int


def is_small(count: int) -> bool:
    """Whether a number of students tells of so few that it stays unsaid; none at all is nobody."""
    return 0 < count < FEWEST


def may_be_told(count: int, *wholes: int) -> bool:
    """Whether a number may stand beside the numbers that it is a part of.

    Not if it is below five, nor if what it leaves of one of them is.
    """
    return count >= FEWEST and not any(is_small(whole - count) for whole in wholes)


def bands(bars: Sequence[int]) -> list[Band]:
    """Bars as bands of five students or more each; one band if there are fewer than ten students.

    All students are in a band, so no two numbers leave a smaller one.
    """
    found: list[Band] = []
    start, students = 0, 0
    for number, count in enumerate(bars):
        students += count
        if students >= FEWEST:
            found.append(Band(start, number + 1, students))
            start, students = number + 1, 0
    if start < len(bars) and found:
        last = found.pop()
        found.append(Band(last.start, len(bars), last.students + students))
    return found


def with_company(hidden: Sequence[int], sizes: Mapping[int, int]) -> set[int]:
    """What is left out of figures that add up to one that is told: never a single one.

    A single one could be had by subtraction, so the smallest of the others goes with it. `hidden`
    are the items that are left out in any case, `sizes` the students of every item.
    """
    gone = set(hidden)
    others = sorted((size, item) for item, size in sizes.items() if item not in gone)
    if len(gone) == 1 and others:
        gone.add(others[0][1])
    return gone
