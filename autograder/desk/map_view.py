"""The view *Map*: mistakes that go together, and mistakes for the next lecture."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from starlette.responses import Response

from autograder.desk.results import ClassResults
from autograder.desk.selection import StudentFilter
from autograder.desk.view import DeskView, Visit
from autograder.report.html import boxes
from autograder.report.overview import Floats, MistakeCount, costliest

ROWS = 60  # mistakes on the map; the others are in the exercises' views
DIGITS = 6  # to which places count, so that every machine gives the same order

Order = list[int]


def seriated(table: npt.NDArray[np.bool_]) -> tuple[Order, Order]:
    """Order the rows and columns of a table, (rows, columns), so that similar ones are neighbours.

    Their places are those on the first axis of a correspondence analysis of each connected part,
    the largest part first. Rows and columns without a one come last, as they were.
    """
    rows: Order = []
    columns: Order = []
    for part in _parts(table):
        of_rows, of_columns = _within(table[np.ix_(part[0], part[1])])
        rows += [part[0][each] for each in of_rows]
        columns += [part[1][each] for each in of_columns]
    rest = (sorted({*range(n)} - {*o}) for n, o in zip(table.shape, (rows, columns), strict=True))
    return rows + next(rest), columns + next(rest)


def _parts(table: npt.NDArray[np.bool_]) -> list[tuple[Order, Order]]:
    """Return the parts of a table that ones connect, the one with most columns first."""
    left = {int(row) for row in np.flatnonzero(table.any(axis=1))}
    found = []
    while left:
        rows = np.zeros(table.shape[0], dtype=bool)
        rows[min(left)] = True
        while True:
            columns = np.any(table[rows], axis=0)
            wider: npt.NDArray[np.bool_] = np.any(table[:, columns], axis=1)
            if np.array_equal(wider, rows):
                break
            rows = wider
        part = [int(r) for r in np.flatnonzero(rows)], [int(c) for c in np.flatnonzero(columns)]
        left -= set(part[0])
        found.append(part)
    return sorted(found, key=lambda part: (-len(part[1]), -len(part[0]), part[0][0]))


def _within(table: npt.NDArray[np.bool_]) -> tuple[Order, Order]:
    """Order the rows and columns of a connected part."""
    ones = table.astype(float)
    of_rows, of_columns = ones.sum(axis=1), ones.sum(axis=0)
    expected = np.outer(of_rows, of_columns) / ones.sum()
    if np.abs(ones - expected).max() < 1e-9:  # all alike: nothing says an order
        return list(range(table.shape[0])), list(range(table.shape[1]))
    residual = (ones - expected) / np.sqrt(np.outer(of_rows, of_columns))
    is_wide = table.shape[0] <= table.shape[1]
    few = residual if is_wide else residual.T
    first = np.linalg.eigh(few @ few.T)[1][:, -1]  # smaller than a decomposition of all of it
    u, v = (first, few.T @ first) if is_wide else (few.T @ first, first)
    axis, across = u / np.sqrt(of_rows), v / np.sqrt(of_columns)
    axis, across = axis / np.abs(axis).max(), across / np.abs(across).max()
    sign = -1.0 if axis[np.argmax(np.round(np.abs(axis), DIGITS))] < 0 else 1.0
    return _order(sign * axis, of_rows), _order(sign * across, of_columns)


def _order(places: Floats, weights: Floats) -> Order:
    """Order by place, then the heaviest first, then as they were."""
    index = np.arange(len(places))
    return [int(each) for each in np.lexsort((index, -weights, np.round(places, DIGITS)))]


def show(visit: Visit) -> Response:
    now = visit.results()
    return visit.page(
        "map_view.html",
        now=now,
        lecture=[_linked(now, each) for each in costliest(now.mistakes)],
        map=heat_map(now, now.mistakes[:ROWS]),
        families=families(now),
        left_out=max(0, len(now.mistakes) - ROWS),
    )


def _linked(now: ClassResults, made: MistakeCount) -> dict[str, Any]:
    return {"made": made, "address": StudentFilter(mistake=str(now.mistakes.index(made))).address()}


def heat_map(now: ClassResults, made: Sequence[MistakeCount]) -> dict[str, Any]:
    """Return mistakes as rows and students as columns, similar ones side by side."""
    places = sorted({place for each in made for place in each.by})
    column = {place: number for number, place in enumerate(places)}
    table = np.zeros((len(made), len(places)), dtype=bool)
    for number, each in enumerate(made):
        table[number, [column[place] for place in each.by]] = True
    of_rows, of_columns = seriated(table)
    shown = table[np.ix_(of_rows, of_columns)]
    rows = [
        {
            **_linked(now, made[number]),
            "path": boxes([int(each) for each in np.flatnonzero(shown[at])]),
        }
        for at, number in enumerate(of_rows)
    ]
    return {"rows": rows, "students": [now.students[places[each]] for each in of_columns]}


class FamilyRow(NamedTuple):
    """A mistake of one name: its number in each exercise or None, in all, and in several."""

    finding: str
    counts: tuple[int | None, ...]
    students: int
    twice: int


def families(now: ClassResults) -> dict[str, Any]:
    """Return the mistakes that occur in several exercises under one name."""
    by_name: dict[str, list[MistakeCount]] = defaultdict(list)
    for each in sorted(now.mistakes, key=lambda made: "+" in made.ids):  # alone first
        for name in each.ids.split("+"):
            by_name[name].append(each)
    several = {n: made for n, made in by_name.items() if len({m.exercise for m in made}) > 1}
    used = {each.exercise for made in several.values() for each in made}
    titles = [exercise.title for exercise in now.exercises if exercise.title in used]
    rows = [_family(made, titles) for made in several.values()]
    return {
        "exercises": titles,
        "rows": sorted(rows, key=lambda row: (-row.twice, -row.students, row.finding)),
    }


def _family(made: Sequence[MistakeCount], titles: Sequence[str]) -> FamilyRow:
    where: dict[str, set[int]] = defaultdict(set)
    exercises: dict[int, set[str]] = defaultdict(set)
    for each in made:
        where[each.exercise] |= set(each.by)
        for place in each.by:
            exercises[place].add(each.exercise)
    return FamilyRow(
        finding=made[0].finding,
        counts=tuple(len(where[title]) if title in where else None for title in titles),
        students=len(exercises),
        twice=sum(len(names) > 1 for names in exercises.values()),
    )


VIEWS = (DeskView("/map", show, "Map"),)
