"""Views of exercises: difficulty, checks, and the messages and mistakes of failed checks."""

from collections.abc import Sequence

from starlette.exceptions import HTTPException
from starlette.responses import Response

from autograder.desk.results import CheckOutcomes
from autograder.desk.selection import StudentFilter
from autograder.desk.view import DeskView, Visit
from autograder.report.statistics import Measured, shown_figures

SENTENCES = 12  # listed for a check
NAMES = 60  # students listed for a sentence; a link shows the others


def overview(visit: Visit) -> Response:
    now = visit.results()
    by_title = {measured.title: measured for measured in now.summary.exercises}
    rows = [
        {
            "exercise": each,
            "statuses": now.outcomes[each.name].statuses.most_common(),
            "measured": by_title.get(each.title),
            "mistakes": sum(made.exercise == each.title for made in now.mistakes),
        }
        for each in now.exercises
    ]
    return visit.page("exercises_view.html", now=now, rows=rows, **shown_figures(now.summary))


def show(visit: Visit) -> Response:
    now = visit.results()
    names = [each.name for each in now.exercises]
    name = visit.part("name")
    if name not in names:
        raise HTTPException(404)
    at = names.index(name)
    exercise, outcomes = now.exercises[at], now.outcomes[name]
    measured = (each for each in now.summary.exercises if each.title == exercise.title)
    return visit.page(
        "exercise_view.html",
        now=now,
        exercise=exercise,
        statuses=outcomes.statuses.most_common(),
        measured=next(measured, None),
        checks=_in_pairs(
            list(outcomes.checks.values()),
            [each for each in now.summary.checks if each.exercise == exercise.title],
        ),
        mistakes=[
            (number, made)
            for number, made in enumerate(now.mistakes)
            if made.exercise == exercise.title
        ],
        address=StudentFilter().address,
        most=(SENTENCES, NAMES),
        before=now.exercises[at - 1] if at else None,
        after=now.exercises[at + 1] if at + 1 < len(names) else None,
        **shown_figures(now.summary),
    )


def _in_pairs(
    checks: Sequence[CheckOutcomes], measured: Sequence[Measured]
) -> list[tuple[CheckOutcomes, Measured | None]]:
    """Return the checks with their statistics.

    If several checks have the same title, only the first one has statistics.
    """
    by_title: dict[str, list[Measured]] = {}
    for each in measured:
        by_title.setdefault(each.title, []).append(each)
    queues = {title: iter(found) for title, found in by_title.items()}
    return [(check, next(queues.get(check.title, iter(())), None)) for check in checks]


VIEWS = (
    DeskView("/exercises", overview, "Exercises"),
    DeskView("/exercises/{name}", show),
)
