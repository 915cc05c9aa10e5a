"""The view *Map*: which mistakes go together, and what to say in the next lecture."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from starlette.responses import Response

from autograder.desk.choosing import WhoIsShown
from autograder.desk.results_now import ClassNow
from autograder.desk.seriation import seriated
from autograder.desk.view import DeskView, Visit
from autograder.report.class_page import boxes
from autograder.statistics.mistakes import MistakeCount, costliest

ROWS = 60  # mistakes on the map; the others are in the exercises' views


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


def _linked(now: ClassNow, made: MistakeCount) -> dict[str, Any]:
    """A mistake, and where those who made it stand."""
    number = now.mistakes.index(made)
    return {"made": made, "address": WhoIsShown(mistake=str(number)).address()}


def heat_map(now: ClassNow, made: Sequence[MistakeCount]) -> dict[str, Any]:
    """Mistakes as rows and students as columns, those alike side by side."""
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
            "path": "".join(boxes([int(each) for each in np.flatnonzero(shown[at])])),
        }
        for at, number in enumerate(of_rows)
    ]
    return {"rows": rows, "students": [now.students[places[each]] for each in of_columns]}


class FamilyRow(NamedTuple):
    """A mistake of one name: in each exercise how many make it, or None; in all, and in several."""

    finding: str
    counts: tuple[int | None, ...]
    students: int
    twice: int


def families(now: ClassNow) -> dict[str, Any]:
    """Mistakes of one name over several exercises: who makes it in one makes it in which others."""
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
