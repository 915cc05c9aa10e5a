"""`autograder grade --dry-run`: who is who, and which file is for what. Nothing is run."""

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from autograder.classroom.submissions import guarded, opened
from autograder.course import Course, Exercise
from autograder.submission.intake import Folder, Work, read_work
from autograder.submission.stubs import Stubs, read_stubs
from autograder.text import one_line


def show(
    submissions: Path,
    course: Course,
    exercises: Sequence[Exercise],
    platform: str | None,
    roster: Path | None,
) -> int:
    """Print the table; the exit code is 1 if a person would have to look at something."""
    stubs = read_stubs(course)
    unclear = False
    table = Table(box=None, pad_edge=False, header_style="bold")
    for head in ("student", "name", "entries", "handed in", "file for exercise", "notes"):
        table.add_column(head, overflow="fold")
    with opened(submissions, course, platform, roster) as found:
        for folder in found.folders:
            work = _read(folder, course, stubs)
            unclear = unclear or bool(work.unclear)
            table.add_row(*(Text(cell) for cell in _cells(folder, work, exercises)))
        notes = found.notes
    console = Console(highlight=False)
    console.print(f"[bold]{course.title}[/]: nothing is graded, since this is a dry run.")
    console.print(table)
    for note in notes:
        console.print(Text(f"Note: {note}"))
    return 1 if unclear else 0


def _read(folder: Folder, course: Course, stubs: Stubs) -> Work:
    names = course.exercises
    return guarded(folder, names, lambda: read_work(folder, names, stubs), lambda work: work)


def _cells(folder: Folder, work: Work, exercises: Sequence[Exercise]) -> list[str]:
    hand_in = folder.hand_in
    entries = hand_in.entries if hand_in else ()
    own = (one_line(folder.path.name, 100),) if folder.path is not None else ("nothing",)
    at = f"{hand_in.at} ({hand_in.at_from})" if hand_in and hand_in.at else ""
    late = ", late" if hand_in and hand_in.late else ""
    return [
        folder.student,
        hand_in.name if hand_in else "",
        "\n".join(entries or own),
        (at + late).removeprefix(", "),
        "\n".join(_file(each.name, work) for each in exercises),
        "\n".join(work.notes),
    ]


def _file(exercise: str, work: Work) -> str:
    if exercise in work.sources:
        return f"{exercise}: {one_line(work.sources[exercise].label, 100)}"
    wrong = work.unclear.get(exercise) or work.not_loaded.get(exercise)
    return f"{exercise}: {wrong}" if wrong else f"{exercise}: –"
