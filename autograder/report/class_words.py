"""The sentences of a class's two pages: what its figures mean, for who was not there."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from autograder.statistics import words
from autograder.statistics.disclosure import FEWEST, Band
from autograder.statistics.summary import BARS, Summary
from autograder.text import few, number, several

if TYPE_CHECKING:
    from autograder.report.class_report import ExerciseLine, MistakeLine

FEW_TOOK_IT = f"handed in by fewer than {FEWEST}"
OF_FEW = "not told: it would tell of a few"
IN_COMPANY = "not told: another follows from it"
HARD = 0.5  # the facility below which an exercise is named


def percent(part: float) -> str:
    """A part of one, as percent."""
    return f"{100 * part:.0f} %"


def facts(summary: Summary, told: bool) -> tuple[tuple[str, str], ...]:
    """The figures at the head, each with what it is."""
    found = [("students", str(summary.students)), ("points at most", number(summary.maximum))]
    if told:
        found += [("mean", f"{summary.mean:.1f}"), ("median", f"{summary.median:.1f}")]
    if summary.students >= words.FEW and math.isfinite(summary.alpha):
        found.append(("reliability α", f"{summary.alpha:.2f}".replace("-", "−")))
    return tuple(found)


def of_distribution(summary: Summary, bands: Sequence[Band], told: bool) -> tuple[str, ...]:
    """How the points lie."""
    said = [
        f"{several(summary.students, 'student')} handed in something whose points are known. What "
        f"somebody did not hand in counts as 0, as in the grade."
    ]
    if not told:
        return (*said, "The mean is not told: it would tell how few students lost points.")
    share = summary.mean / summary.maximum if summary.maximum else 0.0
    said.append(
        f"The mean is {summary.mean:.1f} of {number(summary.maximum)} points ({percent(share)}), "
        f"and half of the students have {summary.median:.1f} or more. The standard deviation, how "
        f"far from the mean they lie, is {summary.deviation:.1f} points."
    )
    crowded = sorted(bands, key=_students_a_bar)
    if len(bands) > 1 and _students_a_bar(crowded[-1]) > _students_a_bar(crowded[-2]):
        said.append(
            f"Students are most crowded between {100 * crowded[-1].start // BARS} and "
            f"{100 * crowded[-1].end // BARS} % of the points."
        )
    return tuple(said)


def _students_a_bar(band: Band) -> float:
    return band.students / (band.end - band.start)


def of_exercises(lines: Sequence["ExerciseLine"], summary: Summary, most: int) -> tuple[str, ...]:
    """Which exercises are hard, easy, or tell something else than the rest."""
    known = [line for line in lines if line.facility is not None]
    said = [
        "Facility is the mean part of an exercise's points, among those who handed it in: high "
        "means easy."
    ]
    if known:
        order = sorted(known, key=lambda line: (line.facility or 0.0, line.title))
        hardest, easiest = order[0], order[-1]
        said.append(f"Hardest was “{hardest.title}” ({percent(hardest.facility or 0.0)}).")
        if easiest is not hardest:
            said[-1] = (
                said[-1][:-1] + f", easiest “{easiest.title}” ({percent(easiest.facility or 0.0)})."
            )
        below = [f"“{line.title}”" for line in order if (line.facility or 0.0) < HARD]
        if len(below) > 1:
            said.append(f"Less than half of the points were had in {few(below, 4)}.")
    against = [
        f"“{each.title}”"
        for each in summary.exercises
        if each.figures.students >= words.FEW and each.discrimination.high < 0
    ]
    if against:
        said.append(
            f"Who is good at the rest does worse in {few(against, 4)}: look at what it asks before "
            f"its points are relied on."
        )
    if len(lines) > most:
        said.append(f"Shown are the first {most} of {len(lines)} exercises.")
    return tuple(said)


def of_mistakes(lines: Sequence["MistakeLine"], most: int) -> tuple[str, ...]:
    """What the table of mistakes is, and what is not in it."""
    if not lines:
        return (f"No mistake that has a name was made by {FEWEST} students or more.",)
    said = [
        "A mistake has a name if the student's numbers are exactly those that it gives; the "
        "sentence is what the student read. Those that cost the class most points come first: to "
        "take them up again brings most."
    ]
    if len(lines) > most:
        said.append(f"Shown are the first {most} of {len(lines)}.")
    said.append(f"A mistake that fewer than {FEWEST} students made is not listed.")
    return tuple(said)


def of_reliability(summary: Summary) -> tuple[str, ...]:
    """How far the points can be relied on, or why that cannot be said."""
    return tuple(words.of_class(summary)[2:])
