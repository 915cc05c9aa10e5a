"""`autograder grade --dry-run`: show students and their files, and run no submission."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

from autograder.classroom.adjustments import Adjustments
from autograder.classroom.hand_ins import Folder
from autograder.classroom.pseudonyms import Pseudonyms
from autograder.classroom.submissions import StudentWork, opened, read_work_guarded
from autograder.course.course_file import Course, Exercise
from autograder.course.text import few, join_names, one_line, several
from autograder.report.model import HandIn
from autograder.submission.stubs import read_stubs

# The kinds of students and what they mean. A student has the first kind that applies.
KINDS = {
    "ambiguous": "the student, or the file that counts, is unclear",
    "unreadable": "a file cannot be read",
    "missing": "no file that can be graded",
    "unknown": "not in the roster, but graded",
    "matched": "known student, one file per exercise",
}
FOR_A_PERSON = ("ambiguous", "unreadable")
MAX_NAMES, MAX_SHOWN = 5, 10

Block = list[str]  # lines on a student; the first line has the name


def show(
    submissions: Path,
    out: Path,
    course: Course,
    exercises: Sequence[Exercise],
    platform: str | None,
    roster: Path | None,
    verbose: bool = False,
) -> int:
    """Print the students and their files. If something needs a person, return 1."""
    stubs, pseudonyms = read_stubs(course), Pseudonyms(course)
    chosen = Adjustments(out, course).choices
    students: dict[str, list[tuple[str, Block]]] = {kind: [] for kind in KINDS}
    with opened(submissions, course, platform, roster) as handed_in:
        for folder in handed_in.folders:
            choices = [*chosen(folder.student), *chosen(pseudonyms.called(folder.student))]
            work = read_work_guarded(folder, course.exercises, stubs, choices)
            block = [_head(folder), *_lines(folder, work, exercises, verbose)]
            students[_kind(folder, work, exercises)].append((folder.student, block))
    console = Console(highlight=False)
    console.print(f"[bold]{course.title}[/]: a dry run. Nothing is graded.\n")
    console.print(_table(students))
    shown = [pair[1] for kind in (KINDS if verbose else FOR_A_PERSON) for pair in students[kind]]
    most = None if verbose else MAX_SHOWN
    for who, *lines in shown[:most]:
        console.print(Text(f"\n{who}", style="bold"), soft_wrap=True)
        console.print(Text("\n".join(f"    {line}" for line in lines)), soft_wrap=True)
    for note in handed_in.notes[:most]:
        console.print(Text(f"\nNote: {note}"), soft_wrap=True)
    if not verbose:
        console.print("\nAdd -v to see all notes, and the files of every student.")
    needs = [f"{several(len(students[k]), 'student')} {k}" for k in FOR_A_PERSON if students[k]]
    needs += ["entries that belong to no student"] if handed_in.not_understood else []
    reason = f"someone must look at {join_names(needs)}" if needs else "all is clear"
    console.print(f"Exit code {int(bool(needs))}: {reason}.", soft_wrap=True)
    return int(bool(needs))


def _kind(folder: Folder, work: StudentWork, exercises: Sequence[Exercise]) -> str:
    names = {exercise.name for exercise in exercises}
    unclear = names & work.unclear.keys()
    if folder.unclear or unclear & work.several.keys():
        return "ambiguous"
    if unclear or names & work.not_loaded.keys():
        return "unreadable"
    if not names & work.sources.keys():
        return "missing"
    return "unknown" if folder.hand_in and folder.hand_in.enrolled is False else "matched"


def _table(students: Mapping[str, Sequence[tuple[str, Block]]]) -> Table:
    head = "", Column("students", justify="right"), ""
    table = Table(*head, box=None, pad_edge=False, header_style="bold")
    for kind, meaning in reversed(KINDS.items()):
        names = [one_line(student, 40) for student, _ in students[kind]]
        who = f": {few(names, MAX_NAMES)}" if names and kind != "matched" else ""
        table.add_row(kind, str(len(names)), Text(f"{meaning}{who}"))
    return table


def _head(folder: Folder) -> str:
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


def _lines(
    folder: Folder, work: StudentWork, exercises: Sequence[Exercise], verbose: bool
) -> list[str]:
    """Return the reasons why a person must look, and with `verbose` all files and notes."""
    if folder.unclear:
        return [folder.unclear]
    if folder.path is None:
        return ["nothing was handed in"]
    entries = folder.hand_in.entries if folder.hand_in else ()
    lines = list(entries or (one_line(folder.path.name, 100),)) if verbose else []
    for name in (exercise.name for exercise in exercises):
        problem = work.unclear.get(name) or work.not_loaded.get(name)
        if problem:
            lines.append(f"{name}: {problem}")
        elif verbose and name in work.sources:
            lines.append(f"{name}: {one_line(work.sources[name].label, 100)}")
    return [*lines, *work.notes] if verbose else lines
