"""The two pages of a class for those who are not in it: figures, and never of a few students."""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import msgspec

from autograder.course.course_file import Exercise
from autograder.course.errors import UserError
from autograder.course.text import few, number, one_line, several
from autograder.report import statistics
from autograder.report.model import Report
from autograder.report.overview import ClassOverview
from autograder.report.statistics import TENTHS, Interval, Summary, summarise
from autograder.report.tally import MistakeCount, Taken

FEWEST = 5  # students that a published number is of at least, by subtraction too
HARD = 0.5  # the facility below which an exercise is named
MOST_EXERCISES, MOST_MISTAKES = 20, 7  # what there is room for on the two pages
TITLE, SENTENCE = 60, 170
FEW_TOOK_IT = f"handed in by fewer than {FEWEST}"
OF_FEW = "not told: it would tell of a few"
IN_COMPANY = "not told: another follows from it"

MadeBy = tuple[MistakeCount, set[int]]  # a mistake, and the numbers of those who made it


class Band(NamedTuple):
    """Neighbouring bars taken together: the first, the one after the last, and the students."""

    start: int
    end: int
    students: int

    @property
    def density(self) -> float:
        """The students per bar."""
        return self.students / (self.end - self.start)


def is_small(count: int) -> bool:
    """Return whether a number tells of so few students that it stays unsaid; 0 is nobody."""
    return 0 < count < FEWEST


def may_be_told(count: int, *wholes: int) -> bool:
    """Return whether a number may be beside the numbers that it is a part of.

    Not if it is below five, nor if what it leaves of one of them is.
    """
    return count >= FEWEST and not any(is_small(whole - count) for whole in wholes)


def bands(bars: Sequence[int]) -> list[Band]:
    """Return bars as bands of five students or more each; one band of fewer than ten students.

    All students are in a band, so no two numbers leave a smaller one.
    """
    found: list[Band] = []
    start, students = 0, 0
    for index, count in enumerate(bars):
        students += count
        if students >= FEWEST:
            found.append(Band(start, index + 1, students))
            start, students = index + 1, 0
    if start < len(bars) and found:
        last = found.pop()
        found.append(Band(last.start, len(bars), last.students + students))
    return found


def with_company(hidden: Sequence[int], sizes: Mapping[int, int]) -> set[int]:
    """Return what is left out of figures that add up to one that is told: never a single one.

    A single one could be had by subtraction, so the smallest of the others goes with it. `hidden`
    are the items that are left out in any case, `sizes` the students of every item.
    """
    gone = set(hidden)
    others = sorted((size, item) for item, size in sizes.items() if item not in gone)
    if len(gone) == 1 and others:
        gone.add(others[0][1])
    return gone


def percent(part: float) -> str:
    """Format a part of one as percent."""
    return f"{100 * part:.0f} %"


def headline_facts(summary: Summary, told: bool) -> tuple[tuple[str, str], ...]:
    """Return the figures at the head, each with its name."""
    found = [("students", str(summary.students)), ("points at most", number(summary.maximum))]
    if told:
        found += [("mean", f"{summary.mean:.1f}"), ("median", f"{summary.median:.1f}")]
    if summary.students >= statistics.FEW and math.isfinite(summary.alpha):
        found.append(("reliability α", f"{summary.alpha:.2f}".replace("-", "−")))
    return tuple(found)


def distribution_sentences(summary: Summary, bands: Sequence[Band], told: bool) -> tuple[str, ...]:
    """Say how the points are distributed."""
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
    crowded = sorted(bands, key=lambda band: band.density)
    if len(bands) > 1 and crowded[-1].density > crowded[-2].density:
        said.append(
            f"Students are most crowded between {100 * crowded[-1].start // TENTHS} and "
            f"{100 * crowded[-1].end // TENTHS} % of the points."
        )
    return tuple(said)


def exercise_sentences(
    lines: Sequence["ExerciseLine"], summary: Summary, most: int
) -> tuple[str, ...]:
    """Say which exercises are hard, easy, or measure something else than the rest."""
    known = [(line.facility, line.title) for line in lines if line.facility is not None]
    said = [
        "Facility is the mean part of an exercise's points, among those who handed it in: high "
        "means easy."
    ]
    if known:
        order = sorted(known)
        (low, hardest), (high, easiest) = order[0], order[-1]
        rest = f", easiest “{easiest}” ({percent(high)})" if len(order) > 1 else ""
        said.append(f"Hardest was “{hardest}” ({percent(low)}){rest}.")
        below = [f"“{title}”" for facility, title in order if facility < HARD]
        if len(below) > 1:
            said.append(f"Less than half of the points were had in {few(below, 4)}.")
    against = [
        f"“{each.title}”"
        for each in summary.exercises
        if each.figures.students >= statistics.FEW and each.discrimination.high < 0
    ]
    if against:
        said.append(
            f"Who is good at the rest does worse in {few(against, 4)}: look at what it asks before "
            f"its points are relied on."
        )
    if len(lines) > most:
        said.append(f"Shown are the first {most} of {len(lines)} exercises.")
    return tuple(said)


def mistake_sentences(lines: Sequence["MistakeLine"], most: int) -> tuple[str, ...]:
    """Say what the table of mistakes is, and what is not in it."""
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


class ExerciseLine(msgspec.Struct, frozen=True):
    """An exercise: its facility from 0 to 1 with an interval, or why it is not told."""

    title: str
    students: str
    facility: float | None
    span: Interval | None = None
    why_not: str = ""


class MistakeLine(msgspec.Struct, frozen=True):
    """A mistake that five students or more made, and what it cost each of them."""

    exercise: str
    finding: str
    students: str
    points: str


class ClassReport(msgspec.Struct, frozen=True):
    """All that the two pages show. `maximum` is that of the points; all may be published."""

    course: str
    date: str
    students: int
    maximum: float
    facts: tuple[tuple[str, str], ...]
    bands: tuple[Band, ...]
    distribution: tuple[str, ...]
    exercises: tuple[ExerciseLine, ...]
    of_exercises: tuple[str, ...]
    mistakes: tuple[MistakeLine, ...]
    of_mistakes: tuple[str, ...]
    reliability: tuple[str, ...]

    def range_of(self, band: Band) -> str:
        """Return the part of the points that a band is for."""
        return f"{100 * band.start // TENTHS} to {100 * band.end // TENTHS} %"


def class_report(reports: Sequence[Report], date: str = "") -> ClassReport:
    """Return the two pages of a class, from its records.

    Raises:
        UserError: fewer than five students handed in something: whatever is said is of a person.
    """
    overview = _overview(reports)
    scores = overview.scores
    if len(scores.students) < FEWEST:
        raise UserError(
            f"There are fewer than {FEWEST} students whose points are known, so every figure would "
            f"tell of a person. The class's own page, index.html, is for those who grade it."
        )
    summary = summarise(scores)
    lines = _exercises(scores.measured(), summary)
    told = any(line.facility is not None for line in lines)
    shown = bands(summary.bars)
    mistakes = _mistakes(overview)
    return ClassReport(
        course=one_line(overview.course, TITLE),
        date=date,
        students=summary.students,
        maximum=summary.maximum,
        facts=headline_facts(summary, told),
        bands=tuple(shown),
        distribution=distribution_sentences(summary, shown, told),
        exercises=tuple(lines[:MOST_EXERCISES]),
        of_exercises=exercise_sentences(lines, summary, MOST_EXERCISES),
        mistakes=tuple(mistakes[:MOST_MISTAKES]),
        of_mistakes=mistake_sentences(mistakes, MOST_MISTAKES),
        reliability=tuple(statistics.class_sentences(summary)[2:]),
    )


def _overview(reports: Sequence[Report]) -> ClassOverview:
    known: dict[str, Exercise] = {}
    for report in reports:
        for each in report.exercises:
            new = Exercise(name=each.name, title=each.title, points=each.max_points)
            known.setdefault(each.name, new)
    overview = ClassOverview(reports[0].course if reports else "", list(known.values()))
    for report in reports:
        overview.add(report, "")
    return overview


def _exercises(taken: Sequence[Taken], summary: Summary) -> list[ExerciseLine]:
    """Return a line per exercise; all add up to the mean, so never a single one is left out."""
    why = [_why_not(each) for each in taken]
    hidden = [place for place, reason in enumerate(why) if reason]
    sizes = {place: len(each.students) for place, each in enumerate(taken)}
    gone = with_company(hidden, sizes)
    lines = []
    for place, (each, measured) in enumerate(zip(taken, summary.exercises, strict=True)):
        count = len(each.students)
        told = may_be_told(count, summary.students)
        few = "few" if count < FEWEST else "all but a few"
        enough = count >= statistics.FEW and math.isfinite(measured.facility.low)
        lines.append(
            ExerciseLine(
                title=one_line(each.title, TITLE),
                students=str(count) if told else few,
                facility=None if place in gone else measured.figures.facility,
                span=measured.facility if enough and place not in gone else None,
                why_not=(why[place] or IN_COMPANY) if place in gone else "",
            )
        )
    return lines


def _why_not(taken: Taken) -> str:
    """Return why a facility would tell how many few students are; empty where it does not.

    Where points are all or nothing, their mean and the number of students tell how many have them.
    """
    points = taken.points[:, -1]
    if len(points) < FEWEST:
        return FEW_TOOK_IT
    if len(set(points.tolist())) > 2 and len(taken.checks) > 1:
        return ""
    with_all, with_some = int((points >= taken.maximum).sum()), int((points > 0).sum())
    parts = with_all, len(points) - with_all, with_some, len(points) - with_some
    return OF_FEW if any(map(is_small, parts)) else ""


def _mistakes(overview: ClassOverview) -> list[MistakeLine]:
    """Return the mistakes that cost most and that enough students made."""
    scores = overview.scores
    handed_in = {each.title: set(each.students) for each in scores.measured()}
    numbers = {student: number for number, student in enumerate(scores.students)}
    by_row = [numbers.get(row.student, -1) for row in overview.rows]
    made = [
        (each, {by_row[row] for row in each.by} - {-1}) for each in overview.mistakes.commonest()
    ]
    found = []
    kept = _kept(made, handed_in)
    for each, makers in sorted(kept, key=lambda m: (-m[0].lost, m[0].exercise, m[0].finding)):
        wholes = len(scores.students), len(handed_in.get(each.exercise, ()))
        told = may_be_told(len(makers), *wholes)
        found.append(
            MistakeLine(
                exercise=one_line(each.exercise, TITLE),
                finding=one_line(each.finding, SENTENCE),
                students=str(len(makers)) if told else "all but a few",
                points=number(round(each.lost / each.students, 1)),
            )
        )
    return found


def _kept(made: Sequence[MadeBy], handed_in: Mapping[str, set[int]]) -> list[MadeBy]:
    """Leave out those of few; and of one exercise so many that not few are left who made none."""
    kept = [each for each in made if len(each[1]) >= FEWEST and each[0].lost > 0]
    for exercise, everybody in handed_in.items():
        same = sorted((e for e in kept if e[0].exercise == exercise), key=lambda e: len(e[1]))
        while len(same) > 1:
            makers = {maker for _, by in same for maker in by}
            if not is_small(len(everybody - makers)):
                break
            kept.remove(same.pop(0))
    return kept
