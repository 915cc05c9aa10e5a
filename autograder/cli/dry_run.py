"""`autograder grade --dry-run`: who is who, and which file is for what. Nothing is run."""

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.text import Text

from autograder.classroom.hand_ins import Folder
from autograder.classroom.submissions import StudentWork, opened, read_work_guarded
from autograder.course.course_file import Course, Exercise
from autograder.course.text import one_line
from autograder.report.model import HandIn
from autograder.submission.stubs import read_stubs


def show(
    submissions: Path,
    course: Course,
    exercises: Sequence[Exercise],
    platform: str | None,
    roster: Path | None,
) -> int:
    """Print who is who; return 1 if a person would have to look at something, else 0."""
    stubs = read_stubs(course)
    console = Console(highlight=False, soft_wrap=True)
    console.print(f"[bold]{course.title}[/]: a dry run, nothing is graded.")
    unclear = False
    with opened(submissions, course, platform, roster) as found:
        for folder in found.folders:
            work = read_work_guarded(folder, course.exercises, stubs)
            unclear = unclear or bool(work.unclear)
            console.print(Text(_head(folder), style="bold"))
            for line in _lines(folder, work, exercises):
                console.print(Text(f"    {line}"))
        for note in found.notes:
            console.print(Text(f"Note: {note}"))
    return 1 if unclear or found.not_understood else 0


def _head(folder: Folder) -> str:
    """Say who it is, from where, and when."""
    hand_in = folder.hand_in or HandIn()
    is_known = folder.student == hand_in.name or folder.student.startswith(f"{hand_in.name}_")
    parts = [
        folder.student,
        "" if is_known else hand_in.name,
        hand_in.platform,
        f"{hand_in.at} (by {hand_in.at_from})" if hand_in.at else "",
        "late" if hand_in.late else "",
        "not in the roster" if hand_in.enrolled is False else "",
    ]
    return ", ".join(filter(None, parts))


def _lines(folder: Folder, work: StudentWork, exercises: Sequence[Exercise]) -> list[str]:
    """Return what was handed in, which file is for which exercise, and the notes on it."""
    if folder.unclear:
        return [folder.unclear]
    if folder.path is None:
        return ["nothing was handed in"]
    entries = folder.hand_in.entries if folder.hand_in else ()
    lines = list(entries or (one_line(folder.path.name, 100),))
    for name in (exercise.name for exercise in exercises):
        problem = work.unclear.get(name) or work.not_loaded.get(name)
        if name in work.sources:
            lines.append(f"{name}: {one_line(work.sources[name].label, 100)}")
        elif problem:
            lines.append(f"{name}: {problem}")
    return [*lines, *work.notes]
