"""`autograder nbgrader …`: commands for courses managed with nbgrader."""

import contextlib
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from autograder.cli.options import PATH, course_option, repairs_option, workers_option
from autograder.course.course_file import find_course
from autograder.course.errors import UserError
from autograder.course.installation import require, require_libraries
from autograder.course.text import number, one_line, several
from autograder.worker.confinement import Level

if TYPE_CHECKING:
    from autograder.classroom.decisions import Decision
    from autograder.course.course_file import Course
    from autograder.nbgrader.autograde import StudentResult

EXISTING = click.Path(path_type=Path, exists=True)


@click.group()
def nbgrader() -> None:
    """Grade courses that nbgrader manages."""


def _require_nbgrader() -> None:
    require("nbgrader", "autograder nbgrader")
    programs = str(Path(sys.executable).parent)  # nbgrader runs some of its own programs
    os.environ["PATH"] = os.pathsep.join([programs, os.environ.get("PATH", os.defpath)])


@nbgrader.command("init")
@click.argument("folder", type=PATH)
@course_option
def nbgrader_init(folder: Path, course_path: Path | None) -> None:
    """Make a course directory for nbgrader, with a configuration and source notebooks."""
    _require_nbgrader()
    from autograder.nbgrader.directory import CONFIG, make_course, missing_lines

    course = find_course(Path.cwd(), named=course_path)
    written = make_course(course, folder)
    print(f"Written   {several(len(written), 'file')} in {folder}")
    if missing := missing_lines(course, folder.resolve()):
        print(f"{folder / CONFIG} existed and was kept. Add these lines, which grading needs:")
        print("\n".join(f"  {line}" for line in missing))
    print("Next, run in that folder:")
    for assignment in course.content.assignments:
        print(f"  nbgrader generate_assignment {assignment.name}")


@nbgrader.command("grade")
@click.argument("assignment")
@click.option(
    "--student", "students", multiple=True, help="Grade only this student. May be repeated."
)
@click.option(
    "--folder",
    type=EXISTING,
    default=".",
    help="nbgrader's course directory.  [default: this folder]",
)
@click.option("--roster", type=EXISTING, help="Take the students' names from this roster.")
@click.option(
    "--comments",
    type=EXISTING,
    metavar="RESULTS",
    help="Take comments on lines of code from this RESULTS folder of `autograder grade`.",
)
@workers_option
@click.option("--confinement", type=click.Choice(["full", "landlock", "no-open"]))
@repairs_option
@course_option
def nbgrader_grade(
    assignment: str,
    students: tuple[str, ...],
    folder: Path,
    roster: Path | None,
    comments: Path | None,
    workers: int | None,
    confinement: Level | None,
    repairs: bool,
    course_path: Path | None,
) -> None:
    """Grade the collected submissions of ASSIGNMENT, and write nbgrader's gradebook."""
    _require_nbgrader()
    from autograder.authoring.lint_cache import refuse_new_errors
    from autograder.classroom.judge_pool import workers_here
    from autograder.cli.progress import graded_with_progress
    from autograder.nbgrader.grade_assignment import AssignmentJob, grade_assignment
    from autograder.sandbox.levels import choose

    course = find_course(Path.cwd(), named=course_path or _course_of(folder))
    assigned = {item.name: item.exercises for item in course.content.assignments}
    names = assigned.get(assignment, ())
    require_libraries(course.exercise(name) for name in names)
    refuse_new_errors(course, [course.exercise(name) for name in names or course.exercises])
    job = AssignmentJob(
        course,
        folder.resolve(),
        assignment,
        names,
        students,
        workers or workers_here(),
        choose(confinement, own_code=False),
        _names(roster, course),
        _remarks(comments, course) if comments is not None else {},
        repairs,
    )
    terminal = sys.stderr  # `grade_assignment` replaces it

    def search(work: Callable[[Callable[[int, int], None]], None]) -> None:
        kept = "searched so far for a line to change. All grades are in the gradebook."
        try:
            with contextlib.redirect_stderr(terminal):
                graded_with_progress(work, kept, done_to=("searched", "student"))
        except UserError as error:
            print(error, file=terminal)

    results = graded_with_progress(
        lambda progress: grade_assignment(job, progress, search),
        "are in the gradebook. The same command grades everybody again.",
    )
    wide = max(len(one_line(result.student, 60)) for result in results)
    for result in results:
        print(f"{one_line(result.student, 60):{wide}}  {_result_text(result)}")
    raise SystemExit(int(any(result.error or result.left or result.by_hand for result in results)))


def _course_of(folder: Path) -> Path | None:
    try:
        text = (folder / "nbgrader_config.py").read_text(encoding="utf-8")
    except OSError:
        return None
    named = [line for line in text.splitlines() if line.startswith("c.ConfinedExecute.course")]
    path = Path(named[-1].split("=", 1)[1].strip().strip("'\"")) if named else None
    return path if path is not None and path.is_dir() else None


def _names(roster: Path | None, course: "Course") -> dict[str, str]:
    from autograder.classroom.roster import Roster

    students = Roster(roster, course).students if roster is not None else []
    return {student.id: student.hand_in.name for student in students}


def _remarks(results: Path, course: "Course") -> "dict[str, list[Decision]]":
    from autograder.classroom.adjustments import Adjustments

    remarks: dict[str, list[Decision]] = {}
    for entry in Adjustments(results, course).entered:
        if entry.decision.line is not None:
            remarks.setdefault(entry.decision.student, []).append(entry.decision)
    return remarks


def _result_text(result: "StudentResult") -> str:
    notes = [f"{left}: needs a person ({why})" for left, why in result.left.items()]
    if result.by_hand and not result.left:
        notes.append("a person must still grade answers")
    if result.late_penalty:
        notes.append(f"late: −{number(result.late_penalty)}")
    notes += result.notes
    points = result.error or f"{number(result.points)} of {number(result.maximum)}"
    return f"{points}  {'; '.join(notes)}" if notes else points
