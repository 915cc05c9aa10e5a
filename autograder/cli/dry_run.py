"""`autograder grade --dry-run`: who is who, and which file is for what. Nothing is run."""

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.text import Text

from autograder.classroom.hand_ins import Folder
from autograder.classroom.submissions import StudentWork, guarded, opened, read_work
from autograder.course.course_file import Course, Exercise
from autograder.course.text import one_line
from autograder.report.model import HandIn
from autograder.submission.stubs import Stubs, read_stubs


def show(
    submissions: Path,
    course: Course,
    exercises: Sequence[Exercise],
    platform: str | None,
    roster: Path | None,
) -> int:
    """Print who is who; the exit code is 1 if a person would have to look at something."""
    stubs = read_stubs(course)
    console = Console(highlight=False, soft_wrap=True)
    console.print(f"[bold]{course.title}[/]: a dry run, nothing is graded.")
    unclear = False
    with opened(submissions, course, platform, roster) as found:
        for folder in found.folders:
            work = _read(folder, course, stubs)
            unclear = unclear or bool(work.unclear)
            console.print(Text(_head(folder), style="bold"))
            for line in _lines(folder, work, exercises):
                console.print(Text(f"    {line}"))
        for note in found.notes:
            console.print(Text(f"Note: {note}"))
    return 1 if unclear or found.not_understood else 0


def _read(folder: Folder, course: Course, stubs: Stubs) -> StudentWork:
    names = course.exercises
    return guarded(folder, names, lambda: read_work(folder, names, stubs), lambda work: work)


def _head(folder: Folder) -> str:
    """Who it is, from where, and when."""
    known = folder.hand_in or HandIn()
    name = "" if folder.student == known.name or not known.name else known.name
    name = "" if folder.student.startswith(f"{name}_") else name
    parts = [folder.student, name, known.platform]
    parts += [f"{known.at} (by {known.at_from})" if known.at else "", "late" if known.late else ""]
    parts += ["not in the roster" if known.enrolled is False else ""]
    return ", ".join(filter(None, parts))


def _lines(folder: Folder, work: StudentWork, exercises: Sequence[Exercise]) -> list[str]:
    """What was handed in, which file is for which exercise, and what is said of it."""
    if folder.path is None:
        return ["nothing was handed in"]
    entries = folder.hand_in.entries if folder.hand_in else ()
    files = [_file(each.name, work) for each in exercises]
    return [*(entries or (one_line(folder.path.name, 100),)), *filter(None, files), *work.notes]


def _file(exercise: str, work: StudentWork) -> str:
    if exercise in work.sources:
        return f"{exercise}: {one_line(work.sources[exercise].label, 100)}"
    wrong = work.unclear.get(exercise) or work.not_loaded.get(exercise)
    return f"{exercise}: {wrong}" if wrong else ""
