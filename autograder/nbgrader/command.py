"""`autograder nbgrader …`: courses that nbgrader manages."""

import os
import sys
from pathlib import Path

from autograder.authoring.lint_cache import refuse_authoring_errors, unless_cached
from autograder.cli.progress import graded_with_progress
from autograder.course.course_file import find_course
from autograder.course.installation import require, require_libraries
from autograder.course.text import number, one_line, several
from autograder.nbgrader.grade_assignment import AssignmentJob, grade_assignment
from autograder.sandbox.levels import choose
from autograder.worker.confinement import Level


def _needed() -> None:
    """Have nbgrader ready, and the programs that it calls by name, whether or not on the path."""
    require("nbgrader", "autograder nbgrader")
    programs = str(Path(sys.executable).parent)
    os.environ["PATH"] = os.pathsep.join([programs, os.environ.get("PATH", os.defpath)])
    # Nothing here needs jsonschema's formats of durations and of IRIs, whose grammar takes longer
    # to start than nbgrader; without these modules jsonschema does without.
    for name in ("rfc3987_syntax", "isoduration"):
        sys.modules.setdefault(name, None)  # type: ignore[arg-type]


def init(folder: Path, course_path: Path | None) -> int:
    _needed()
    from autograder.nbgrader.config import make_course

    course = find_course(Path.cwd(), named=course_path)
    written = make_course(course, folder)
    print(f"{several(len(written), 'file')} in {folder}. Next, in that folder:")
    for assignment in course.content.assignments:
        print(f"  nbgrader generate_assignment {assignment.name}")
    return 0


def grade(
    assignment: str,
    students: tuple[str, ...],
    folder: Path,
    course_path: Path | None,
    workers: int | None,
    confinement: Level | None,
) -> int:
    _needed()
    course = find_course(Path.cwd(), named=course_path or _course_of(folder))
    named = [each for each in course.content.assignments if each.name == assignment]
    chosen = named[0].exercises if named else ()
    require_libraries(course.exercise(name) for each in named for name in each.exercises)
    unless_cached(
        refuse_authoring_errors,
        course,
        [course.exercise(name) for name in chosen or course.exercises],
    )
    job = AssignmentJob(
        course,
        folder.resolve(),
        assignment,
        chosen,
        students,
        workers or os.cpu_count() or 1,
        choose(confinement, own_code=False),
    )
    results = graded_with_progress(
        lambda progress: grade_assignment(job, progress),
        "are in the gradebook; the same command grades all again.",
    )
    names = [one_line(result.student, 60) for result in results]
    wide = max(map(len, names))
    for name, result in zip(names, results, strict=True):
        notes = [f"{left}: needs a person ({why})" for left, why in result.left.items()]
        notes += ["to be graded by hand"] if result.by_hand and not result.left else []
        notes += [f"late: −{number(result.late_penalty)}"] if result.late_penalty else []
        notes += result.notes
        said = result.error or f"{number(result.points)} of {number(result.maximum)}"
        print(f"{name:{wide}}  {said}{'  ' if notes else ''}{'; '.join(notes)}")
    return 1 if any(result.error or result.left for result in results) else 0


def _course_of(folder: Path) -> Path | None:
    """The course that the folder's nbgrader_config.py names."""
    try:
        text = (folder / "nbgrader_config.py").read_text(encoding="utf-8")
    except OSError:
        return None
    named = [line for line in text.splitlines() if line.startswith("c.ConfinedExecute.course")]
    path = Path(named[-1].split("=", 1)[1].strip().strip("'\"")) if named else None
    return path if path is not None and path.is_dir() else None
