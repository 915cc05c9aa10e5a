"""Overview of a class on one screen: a table for a small class, counts for a large one."""

import textwrap
from collections.abc import Sequence

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from autograder.course.course_file import Course, Exercise
from autograder.course.text import number, several
from autograder.report.grades_table import EXCUSED, points_text
from autograder.report.html import INDEX
from autograder.report.overview import ClassOverview, Row

MAX_ROWS = 30  # of a larger class, only the numbers of students are shown
MAX_LINES = 12  # lines for each kind of note, in a small class
FEW_LINES = 3  # lines for each kind of note, in a large class
WIDE = 7  # characters for a column of points and its heading
TOTAL = 24  # characters for the total and the status


def print_overview(console: Console, overview: ClassOverview, course: Course) -> None:
    students = max((cell_len(row.student) for row in overview.rows[:MAX_ROWS]), default=0)
    groups = {exercise.title: [exercise] for exercise in overview.exercises}
    if len(groups) * WIDE + TOTAL + students > console.width and course.content.assignments:
        groups = {  # too many exercises for one column each
            assignment.title: [e for e in overview.exercises if e.name in assignment.exercises]
            for assignment in course.content.assignments
        }
    groups = {title: exercises for title, exercises in groups.items() if exercises}
    is_large = len(overview.rows) > MAX_ROWS
    if is_large:
        counts = ", ".join(f"{status} {count}" for status, count in overview.statuses)
        console.print(Text(f"{several(len(overview.rows), 'student')}: {counts}", style="bold"))
    else:
        console.print(_table(overview, groups, students <= console.width // 2))
    most = FEW_LINES if is_large else MAX_LINES
    print_notes(console, overview, INDEX, most, is_large)
    _print_some(console, overview.changed, most, "grades.csv", is_large)
    people = [f"{row.student}: {row.said}" for row in overview.needs_a_person]
    rest = "grades.csv, in the rows with the status “needs a person”"
    _print_some(console, people, most, rest, is_large)


def print_notes(
    console: Console, overview: ClassOverview, rest: str, most: int = FEW_LINES, cut: bool = True
) -> None:
    for note in overview.said_only:  # these notes are shown in full, because no file has them
        console.print(Text(f"Note: {note}"))
    lines = [f"Note: {note}" for note in overview.notes]
    _print_some(console, lines, most, rest, cut)
    if cut and len(lines) <= most and any(len(line) > console.width for line in lines):
        console.print(f"… in full in {rest}.")


def _print_some(
    console: Console, lines: Sequence[str], most: int, rest: str, cut: bool = False
) -> None:
    for line in lines[:most]:
        console.print(Text(line), overflow="ellipsis" if cut else None, no_wrap=cut)
    if len(lines) > most:
        console.print(f"… and {len(lines) - most} more, in {rest}.")


def _table(overview: ClassOverview, groups: dict[str, list[Exercise]], has_room: bool) -> Table:
    """Return a table with one row per student. If there is room, no name is broken."""
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    table.add_column("student", overflow="fold", no_wrap=has_room)
    for words, exercises in groups.items():
        title = f"{words} /{number(sum(exercise.points for exercise in exercises))}"
        narrow = textwrap.fill(title, max(map(len, title.split())))  # many columns fit
        table.add_column(narrow, justify="right")
    table.add_column("total", justify="right", no_wrap=True)
    table.add_column("status", no_wrap=True)
    for row in overview.rows:
        style = {"graded": "", "missing": "dim", "excused": "dim"}.get(row.status, "yellow")
        cells = [_cell(row, exercises) for exercises in groups.values()]
        table.add_row(
            Text(row.student), *cells, points_text(row.total) or "·", Text(row.status, style=style)
        )
    return table


def _cell(row: Row, exercises: Sequence[Exercise]) -> str:
    if all(exercise.name in row.excused for exercise in exercises):
        return EXCUSED
    counted = [exercise.name for exercise in exercises if exercise.name not in row.excused]
    known = [points for name in counted if (points := row.points[name]) is not None]
    return number(sum(known)) if known else "·"
