"""`python -m tools.unseen`: test reports on unknown mistakes, which are mutants.

The tool knows two facts that the diagnosis does not know: the changed line, and the results of new
calls.
"""

import os
import sys
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path

import click

from autograder.authoring.lint import refuse_authoring_errors
from autograder.cli.options import PATH, course_option
from autograder.course.course_file import find_course
from autograder.course.errors import UserError
from autograder.course.installation import require_libraries
from tools.unseen.measure import Unseen, measure_exercise
from tools.unseen.table import markdown, notes


@click.command()
@click.argument("names", metavar="[EXERCISES]...", nargs=-1)
@click.option("--workers", type=click.IntRange(1, 64), help="Processes.  [default: one a core]")
@click.option("--sample", type=click.IntRange(0), default=0, help="So many mutants of each.")
@click.option("--table", type=PATH, help="Write the table as Markdown.")
@course_option
def main(
    names: tuple[str, ...],
    workers: int | None,
    sample: int,
    table: Path | None,
    course_path: Path | None,
) -> None:
    """Grade mutants of every correct solution, and count the verdicts on their reports.

    The exit code is 1 if a report says something false.
    """
    course = find_course(Path.cwd(), named=course_path)
    asked = [course.exercise(name) for name in names] or list(course.content.exercises)
    exercises = [exercise.name for exercise in asked if not exercise.questions]
    require_libraries(asked)
    refuse_authoring_errors(course, asked)
    found: dict[str, Unseen] = {}
    size = min(workers or os.cpu_count() or 1, len(exercises) or 1)
    with ProcessPoolExecutor(size, mp_context=get_context("spawn")) as pool:
        tasks = {
            pool.submit(measure_exercise, course.root, name, sample): name
            for name in reversed(exercises)
        }
        for task in as_completed(tasks):
            found[tasks[task]] = task.result()
            print(f"{tasks[task]} ({len(found)} of {len(exercises)})", file=sys.stderr)
    ordered = [found[name] for name in exercises]
    print(markdown(ordered, with_notes=False))
    print(notes(ordered))
    if table is not None:
        table.write_text(markdown(ordered), encoding="utf-8")
    raise SystemExit(any(each.single["false"] + each.pair["false"] for each in ordered))


if __name__ == "__main__":
    try:
        main()
    except UserError as error:
        raise SystemExit(str(error)) from None
