"""`autograder verify --unseen`: what the report says of mutants of right answers."""

import os
import sys
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path

from autograder.authoring.lint import refuse_authoring_errors
from autograder.course.course_file import find_course, load_course
from autograder.course.installation import require, require_libraries
from tools.unseen.measure import Unseen, measure
from tools.unseen.table import markdown, notes


def run(
    names: tuple[str, ...],
    workers: int | None,
    sample: int,
    table: Path | None,
    course_path: Path | None,
) -> int:
    course = find_course(Path.cwd(), named=course_path)
    require("dev", "autograder verify --unseen")
    asked = [course.exercise(name) for name in names] or list(course.content.exercises)
    exercises = [exercise.name for exercise in asked if not exercise.questions]
    require_libraries(asked)
    refuse_authoring_errors(course, asked)
    found: dict[str, Unseen] = {}
    size = min(workers or os.cpu_count() or 1, len(exercises) or 1)
    with ProcessPoolExecutor(size, mp_context=get_context("spawn")) as pool:
        tasks = {
            pool.submit(measured, course.root, name, sample): name for name in reversed(exercises)
        }
        for task in as_completed(tasks):
            found[tasks[task]] = task.result()
            print(f"{tasks[task]} ({len(found)} of {len(exercises)})", file=sys.stderr)
    ordered = [found[name] for name in exercises]
    print(markdown(ordered, with_notes=False))
    print(notes(ordered))
    if table is not None:
        table.write_text(markdown(ordered), encoding="utf-8")
    return 1 if any(each.single["false"] + each.pair["false"] for each in ordered) else 0


def measured(root: Path, name: str, sample: int) -> Unseen:
    """Measure one exercise, in a process of its own."""
    course = load_course(root / "course.yml")
    return measure(course, course.exercise(name), sample)
