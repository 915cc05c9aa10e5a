"""What two pages say of a class to those who are not in it: figures, and of no few students."""

import math
from collections.abc import Mapping, Sequence

import msgspec

from autograder.course import Exercise
from autograder.errors import UserError
from autograder.report import class_words
from autograder.report.model import Report
from autograder.report.overview import Overview
from autograder.statistics import words
from autograder.statistics.disclosure import (
    FEWEST,
    Band,
    bands,
    is_small,
    may_be_told,
    with_company,
)
from autograder.statistics.mistakes import MistakeCount
from autograder.statistics.resampled import Interval
from autograder.statistics.scores import Taken
from autograder.statistics.summary import BARS, Summary, summarise
from autograder.text import number, one_line

MOST_EXERCISES, MOST_MISTAKES = 20, 7  # what there is room for on the two pages
TITLE, SENTENCE = 60, 170

MadeBy = tuple[MistakeCount, set[int]]  # a mistake, and the numbers of those who made it


class ExerciseLine(msgspec.Struct, frozen=True):
    """An exercise: its facility from 0 to 1 and where it may lie, or why it is not told."""

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
    """All that the two pages show. `maximum` is that of the points; the rest may be published."""

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
        """The part of the points that a band is for."""
        return f"{100 * band.start // BARS} to {100 * band.end // BARS} %"


def class_report(reports: Sequence[Report], date: str = "") -> ClassReport:
    """The two pages of a class, from its records.

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
        facts=class_words.facts(summary, told),
        bands=tuple(shown),
        distribution=class_words.of_distribution(summary, shown, told),
        exercises=tuple(lines[:MOST_EXERCISES]),
        of_exercises=class_words.of_exercises(lines, summary, MOST_EXERCISES),
        mistakes=tuple(mistakes[:MOST_MISTAKES]),
        of_mistakes=class_words.of_mistakes(mistakes, MOST_MISTAKES),
        reliability=class_words.of_reliability(summary),
    )


def _overview(reports: Sequence[Report]) -> Overview:
    known: dict[str, Exercise] = {}
    for report in reports:
        for each in report.exercises:
            new = Exercise(name=each.name, title=each.title, points=each.max_points)
            known.setdefault(each.name, new)
    overview = Overview(reports[0].course if reports else "", list(known.values()))
    for report in reports:
        overview.add(report, "")
    return overview


def _exercises(taken: Sequence[Taken], summary: Summary) -> list[ExerciseLine]:
    """Each exercise, in the course's order. All of them add up to the mean, so none is alone
    in being left out."""
    why = [_why_not(each) for each in taken]
    hidden = [place for place, said in enumerate(why) if said]
    sizes = {place: len(each.students) for place, each in enumerate(taken)}
    gone = with_company(hidden, sizes)
    lines = []
    for place, (each, measured) in enumerate(zip(taken, summary.exercises, strict=True)):
        count = len(each.students)
        told = may_be_told(count, summary.students)
        few = "few" if count < FEWEST else "all but a few"
        enough = count >= words.FEW and math.isfinite(measured.facility.low)
        lines.append(
            ExerciseLine(
                title=one_line(each.title, TITLE),
                students=str(count) if told else few,
                facility=None if place in gone else measured.figures.facility,
                span=measured.facility if enough and place not in gone else None,
                why_not=(why[place] or class_words.IN_COMPANY) if place in gone else "",
            )
        )
    return lines


def _why_not(taken: Taken) -> str:
    """Why a facility would tell how many few students are; empty where it does not.

    Where points are all or nothing, their mean and the number of students tell how many have them.
    """
    points = taken.points[:, -1]
    if len(points) < FEWEST:
        return class_words.FEW_TOOK_IT
    if len(set(points.tolist())) > 2 and len(taken.checks) > 1:
        return ""
    with_all, with_some = int((points >= taken.maximum).sum()), int((points > 0).sum())
    parts = with_all, len(points) - with_all, with_some, len(points) - with_some
    return class_words.OF_FEW if any(map(is_small, parts)) else ""


def _mistakes(overview: Overview) -> list[MistakeLine]:
    """The mistakes that cost most and that enough students made, each for all who made it."""
    scores = overview.scores
    handed_in = {each.title: set(each.students) for each in scores.measured()}
    numbers = {student: number for number, student in enumerate(scores.students)}
    by_row = [numbers.get(row.student, -1) for row in overview.rows]
    made = [
        (each, {by_row[row] for row in each.by} - {-1}) for each in overview.mistakes.commonest()
    ]
    found = []
    for each, makers in sorted(_kept(made, handed_in), key=_by_cost):
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


def _by_cost(each: MadeBy) -> tuple[float, str, str]:
    mistake, _ = each
    return -mistake.lost, mistake.exercise, mistake.finding


def _kept(made: Sequence[MadeBy], handed_in: Mapping[str, set[int]]) -> list[MadeBy]:
    """Without those of few; and of one exercise not so many that few are left who made none."""
    kept = [each for each in made if len(each[1]) >= FEWEST and each[0].lost > 0]
    for exercise, everybody in handed_in.items():
        mine = sorted((e for e in kept if e[0].exercise == exercise), key=lambda e: len(e[1]))
        while len(mine) > 1:
            makers = {maker for _, by in mine for maker in by}
            if not is_small(len(everybody - makers)):
                break
            kept.remove(mine.pop(0))
    return kept
