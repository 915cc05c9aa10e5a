"""The view *Map*: mistakes that go together, and mistakes for the next lecture."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from starlette.responses import Response

from autograder.desk.results import ClassResults
from autograder.desk.selection import StudentFilter
from autograder.desk.view import DeskView, Visit
from autograder.report.html import boxes
from autograder.report.overview import Floats, MistakeCount

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
    left, _, right = np.linalg.svd(residual, full_matrices=False)
    u, v = left[:, 0], right[0]
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
        map=heat_map(now, now.mistakes[:ROWS]),
        families=families(now),
        left_out=max(0, len(now.mistakes) - ROWS),
        address=StudentFilter().address,
    )


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
        {"made": made[number], "path": boxes(np.flatnonzero(cells).tolist())}
        for number, cells in zip(of_rows, shown, strict=True)
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
    for mistake in now.mistakes:
        by_name[mistake.id].append(mistake)
    several = [made for made in by_name.values() if len({m.exercise for m in made}) > 1]
    used = {mistake.exercise for made in several for mistake in made}
    titles = [exercise.title for exercise in now.exercises if exercise.title in used]
    rows = []
    for made in several:
        places: dict[str, set[int]] = defaultdict(set)
        for mistake in made:
            places[mistake.exercise].update(mistake.by)
        times = Counter(place for students in places.values() for place in students)
        counts = tuple(len(places[title]) if title in places else None for title in titles)
        twice = sum(number > 1 for number in times.values())
        rows.append(FamilyRow(made[0].finding, counts, len(times), twice))
    return {
        "exercises": titles,
        "rows": sorted(rows, key=lambda row: (-row.twice, -row.students, row.finding)),
    }


VIEWS = (DeskView("/map", show, "Map"),)
