"""Two-page summary of a class for readers outside the course.

The pages have only statistics about at least five students.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

import msgspec

from autograder.course.course_file import Exercise
from autograder.course.errors import UserError
from autograder.course.text import few, number, one_line
from autograder.report import statistics
from autograder.report.html import TEMPLATES, environment
from autograder.report.model import Report
from autograder.report.overview import ClassOverview, MistakeCount, Taken
from autograder.report.statistics import TENTHS, Interval, Summary, summarise

FEWEST = 5  # smallest number of students that may be published
MOST_EXERCISES, MOST_MISTAKES = 20, 7  # these fit on the two pages
TITLE, SENTENCE = 60, 170
TEMPLATE = TEMPLATES / "class_report.typ"
HOW_TO_READ = (
    f"Numbers of fewer than {FEWEST} students are not shown. Numbers that would reveal such a "
    "number by subtraction are not shown either. So neighbouring bars are merged, and “all but a "
    "few” replaces some numbers.",
    "The figures show the points from tests and people before late penalties. Missing work counts "
    "as 0, as in the grade. The standard deviation is a typical distance from the mean. The "
    "figures describe a class and its exercises, not individual students.",
)
NO_MEAN = "The mean is not shown: it would reveal how few students lost points."


class Band(NamedTuple):
    """Merged neighbouring bars of a histogram."""

    start: int
    end: int
    students: int

    def __str__(self) -> str:
        """Return the range of points in percent."""
        return f"{100 * self.start // TENTHS} to {100 * self.end // TENTHS} %"


class ExerciseLine(msgspec.Struct, frozen=True):
    title: str
    students: str
    facility: float | None  # from 0 to 1, or None with the reason in `why_not`
    span: Interval | None = None
    why_not: str = ""


class MistakeLine(msgspec.Struct, frozen=True):
    """A mistake of at least five students."""

    exercise: str
    finding: str
    students: str
    points: str


class ClassReport(msgspec.Struct, frozen=True):
    """Content of the two pages. The whole content may be published."""

    course: str
    date: str
    students: int
    facts: list[tuple[str, str]]
    bands: list[Band]
    distribution: list[str]
    exercises: list[ExerciseLine]
    of_exercises: list[str]
    mistakes: list[MistakeLine]
    of_mistakes: list[str]
    reliability: list[str]


def class_report(reports: Sequence[Report], date: str = "") -> ClassReport:
    """Return the content of two pages. With fewer than five known totals, raise a `UserError`."""
    known: dict[str, Exercise] = {}
    for report in reports:
        for exercise in report.exercises:
            name, title = exercise.name, exercise.title
            known.setdefault(name, Exercise(name=name, title=title, points=exercise.max_points))
    overview = ClassOverview(reports[0].course if reports else "", list(known.values()))
    for report in reports:
        overview.add(report, "")
    if len(overview.scores.students) < FEWEST:
        raise UserError(
            f"Fewer than {FEWEST} students have known points, so every figure would reveal a "
            f"person. Use the page index.html, which is for the people who grade the class."
        )
    summary = summarise(overview.scores)
    exercises = _exercises(overview.scores.measured(), summary)
    is_told = any(line.facility is not None for line in exercises)
    sentences = statistics.class_sentences(summary)
    mistakes = _mistakes(overview)
    return ClassReport(
        course=one_line(overview.course, TITLE),
        date=date,
        students=summary.students,
        facts=_facts(summary, is_told),
        bands=bands(summary.bars),
        distribution=sentences[:2] if is_told else [sentences[0], NO_MEAN],
        exercises=exercises[:MOST_EXERCISES],
        of_exercises=_of_exercises(exercises, summary),
        mistakes=mistakes[:MOST_MISTAKES],
        of_mistakes=_of_mistakes(mistakes),
        reliability=sentences[2:],
    )


# What may be published.


def is_small(count: int) -> bool:
    """Return True if a number of students is too small to publish: 1 to 4."""
    return 0 < count < FEWEST


def may_be_told(count: int, *wholes: int) -> bool:
    """Return True if a number of students may be published.

    Neither the number nor its difference from a total in `wholes` may be 1 to 4.
    """
    return count >= FEWEST and not any(is_small(whole - count) for whole in wholes)


def bands(bars: Sequence[int]) -> list[Band]:
    """Merge neighbouring bars into bands with at least five students each.

    Together, the bands have all students. For fewer than ten students, there is only one band.
    """
    bands: list[Band] = []
    start, students = 0, 0
    for index, count in enumerate(bars):
        students += count
        if students >= FEWEST:
            bands.append(Band(start, index + 1, students))
            start, students = index + 1, 0
    if start < len(bars) and bands:
        last = bands.pop()
        bands.append(Band(last.start, len(bars), last.students + students))
    return bands


def with_company(hidden: Sequence[int], sizes: Sequence[int]) -> set[int]:
    """Return the items to hide.

    If only one item were hidden, a published total would reveal it. So the smallest other item is
    hidden too.
    """
    others = sorted((size, item) for item, size in enumerate(sizes) if item not in hidden)
    return {*hidden, *(item for _, item in others[:1] if len(hidden) == 1)}


def _exercises(taken: Sequence[Taken], summary: Summary) -> list[ExerciseLine]:
    """Return a line for each exercise.

    If only one facility were hidden, the mean of all points would reveal it. So a second facility
    is hidden too.
    """
    why_not = [_why_not(exercise) for exercise in taken]
    sizes = [len(exercise.students) for exercise in taken]
    hidden = with_company([place for place, reason in enumerate(why_not) if reason], sizes)
    lines = []
    for place, measured in enumerate(summary.exercises):
        count = sizes[place]
        few = "few" if count < FEWEST else "all but a few"
        students = str(count) if may_be_told(count, summary.students) else few
        title = one_line(measured.title, TITLE)
        if place in hidden:
            reason = why_not[place] or "not shown: it would reveal another"
            lines.append(ExerciseLine(title, students, None, why_not=reason))
        else:
            enough = count >= statistics.FEW and math.isfinite(measured.facility)
            span = measured.facility_in if enough else None
            lines.append(ExerciseLine(title, students, measured.facility, span))
    return lines


def _why_not(taken: Taken) -> str:
    points = [row[-1] for row in taken.points]
    if len(points) < FEWEST:
        return f"handed in by fewer than {FEWEST}"
    if len(set(points)) > 2 and len(taken.checks) > 1:
        return ""
    with_all = sum(result >= taken.maximum for result in points)
    with_some = sum(result > 0 for result in points)
    parts = with_all, len(points) - with_all, with_some, len(points) - with_some
    return "not shown: it would reveal a few students" if any(map(is_small, parts)) else ""


def _mistakes(overview: ClassOverview) -> list[MistakeLine]:
    scores = overview.scores
    handed_in = {exercise.title: set(exercise.students) for exercise in scores.measured()}
    numbers = {student: number for number, student in enumerate(scores.students)}
    by_row = [numbers.get(row.student, -1) for row in overview.rows]
    made = [
        (mistake, {by_row[row] for row in mistake.by} - {-1})
        for mistake in overview.mistakes.commonest()
    ]
    made = _published(made, handed_in)
    made.sort(key=lambda pair: (-pair[0].lost, pair[0].exercise, pair[0].finding))
    lines = []
    for mistake, makers in made:
        wholes = len(scores.students), len(handed_in.get(mistake.exercise, ()))
        lines.append(
            MistakeLine(
                exercise=one_line(mistake.exercise, TITLE),
                finding=one_line(mistake.finding, SENTENCE),
                students=str(len(makers)) if may_be_told(len(makers), *wholes) else "all but a few",
                points=number(round(mistake.lost / mistake.students, 1)),
            )
        )
    return lines


def _published(
    made: Sequence[tuple[MistakeCount, set[int]]], handed_in: Mapping[str, set[int]]
) -> list[tuple[MistakeCount, set[int]]]:
    rest = [(mistake, by) for mistake, by in made if len(by) >= FEWEST and mistake.lost > 0]
    for exercise, everybody in handed_in.items():
        same = sorted((m for m in rest if m[0].exercise == exercise), key=lambda m: len(m[1]))
        while len(same) > 1 and is_small(len(everybody - set().union(*(by for _, by in same)))):
            rest.remove(same.pop(0))
    return rest


# The sentences.


def percent(part: float) -> str:
    return f"{100 * part:.0f} %"


def _facts(summary: Summary, is_told: bool) -> list[tuple[str, str]]:
    facts = [("students", str(summary.students)), ("maximum points", number(summary.maximum))]
    if is_told:
        facts += [("mean", f"{summary.mean:.1f}"), ("median", f"{summary.median:.1f}")]
    if summary.students >= statistics.FEW and math.isfinite(summary.alpha):
        facts.append(("reliability α", f"{summary.alpha:.2f}".replace("-", "−")))
    return facts


def _of_exercises(lines: Sequence[ExerciseLine], summary: Summary) -> list[str]:
    order = sorted((line.facility, line.title) for line in lines if line.facility is not None)
    sentences = [
        "Facility is the mean share of an exercise's points among the students who handed it in. "
        "A high facility means an easy exercise."
    ]
    if order:
        (low, hardest), (high, easiest) = order[0], order[-1]
        rest = f", the easiest “{easiest}” ({percent(high)})" if len(order) > 1 else ""
        sentences.append(f"The hardest exercise was “{hardest}” ({percent(low)}){rest}.")
    against = [
        f"“{exercise.title}”"
        for exercise in summary.exercises
        if exercise.students >= statistics.FEW and exercise.discrimination_in.high < 0
    ]
    if against:
        sentences.append(
            f"Students who are good at the other exercises do worse in {few(against, 4)}. Check "
            "the text and the checks before you rely on these points."
        )
    if len(lines) > MOST_EXERCISES:
        sentences.append(f"Only the first {MOST_EXERCISES} of {len(lines)} exercises are shown.")
    return sentences


def _of_mistakes(lines: Sequence[MistakeLine]) -> list[str]:
    if not lines:
        return [f"No named mistake was made by {FEWEST} or more students."]
    sentences = [
        "A mistake is named only if it gives exactly the student's numbers. The sentence about it "
        "is the sentence that the student read. The mistakes that cost the class most points come "
        "first: explain these again first."
    ]
    if len(lines) > MOST_MISTAKES:
        sentences.append(f"Only the first {MOST_MISTAKES} of {len(lines)} are shown.")
    return [*sentences, f"A mistake that fewer than {FEWEST} students made is not listed."]


# The two output formats.


def as_html(report: ClassReport) -> str:
    """Return one self-contained page. It prints on two sheets."""
    return environment().get_template("class_report.html").render(**_content(report, "screen"))


def as_pdf(report: ClassReport) -> bytes:
    """Return a tagged PDF of two pages, without a creation time.

    The PDF conforms to PDF/UA-1 if the fonts have all characters of the titles. It needs the extra
    `pdf`. The content is passed as data, so Typst never runs content as commands.
    """
    import typst

    shown, source = template_inputs(report), TEMPLATE.read_bytes()
    try:
        return typst.compile(source, format="pdf", sys_inputs=shown, pdf_standards="ua-1")
    except typst.TypstError:
        return typst.compile(source, format="pdf", sys_inputs=shown)


def template_inputs(report: ClassReport) -> dict[str, str]:
    return {"report": msgspec.json.encode(_content(report, "paper")).decode()}


def _content(report: ClassReport, medium: Literal["paper", "screen"]) -> dict[str, Any]:
    parts = [f"{band} of the points: {band.students}" for band in report.bands]
    bars = [
        f"{line.title}: {line.why_not if line.facility is None else percent(line.facility)}"
        for line in report.exercises
    ]
    charts: Any = environment().get_template("class_charts.svg").module
    colours = getattr(charts, medium)
    return {
        "report": report,
        "distribution_chart": str(charts.distribution(report, TENTHS, colours)).strip(),
        "distribution_description": (f"Students by share of the points. {'; '.join(parts)}."),
        "facility_chart": str(charts.facility(report, percent, colours)).strip(),
        "facility_description": f"Mean share of the points by exercise. {'; '.join(bars)}.",
        "how_to_read": HOW_TO_READ,
    }
