"""`autograder verify`: the grader graded."""

import os
import sys
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path

from rich.console import Console
from rich.table import Table

from autograder.authoring.lint import refuse_authoring_errors
from autograder.authoring.mutants import equivalent_mutants
from autograder.authoring.verify import COLUMNS, QUICK, Verified, Verifier, markdown, row
from autograder.course.course_file import find_course, load_course
from autograder.course.installation import require, require_libraries
from autograder.course.text import several

WIDE = 200  # columns, where no terminal cuts the table


def run(
    names: tuple[str, ...],
    workers: int | None,
    with_mutants: bool,
    quick: bool,
    table: Path | None,
    course_path: Path | None,
) -> int:
    course = find_course(Path.cwd(), named=course_path)
    if with_mutants:
        require("dev", "autograder verify without --no-mutants")
    exercises = [course.exercise(name).name for name in names] or list(course.exercises)
    require_libraries(course.exercise(name) for name in exercises)
    refuse_authoring_errors(course, [course.exercise(name) for name in exercises])
    if with_mutants:
        equivalent_mutants(course.solution_file(exercises[0]).parent, course.exercises)
    results: dict[str, Verified] = {}
    size = min(workers or os.cpu_count() or 1, len(exercises))
    with ProcessPoolExecutor(size, mp_context=get_context("spawn")) as pool:
        tasks = {  # the last exercises of a course are the largest: begin with them
            pool.submit(verify, course.root, name, with_mutants, QUICK if quick else 1): name
            for name in reversed(exercises)
        }
        for task in as_completed(tasks):
            results[tasks[task]] = task.result()
            done = results[tasks[task]]
            state = "holds" if not done.faults else several(len(done.faults), "fault")
            print(f"{done.name}: {state} ({len(results)} of {len(exercises)})", file=sys.stderr)
    ordered = [results[name] for name in exercises]
    _show(ordered)
    if table is not None:
        table.write_text(markdown(ordered), encoding="utf-8")
    return 1 if any(result.faults for result in ordered) else 0


def verify(root: Path, name: str, with_mutants: bool, share: int) -> Verified:
    """Verify one exercise, in a process of its own."""
    course = load_course(root / "course.yml")
    with Verifier(course, course.exercise(name), share) as verifier:
        return verifier.run(with_mutants)


def _show(results: list[Verified]) -> None:
    """The table as wide as the terminal, or as it is in a pipe; sentences whole, to be copied."""
    known = sys.stdout.isatty() or "COLUMNS" in os.environ
    console = Console(highlight=False, width=None if known else WIDE)
    shown = Table(box=None, pad_edge=False, header_style="bold")
    for place, column in enumerate(COLUMNS):
        shown.add_column(
            column, justify="right" if place else "left", overflow="fold", no_wrap=not place
        )
    for result in results:
        shown.add_row(*row(result))
    console.print(shown)
    for result in results:
        for fault in result.faults:
            _say(console, f"{result.name}: {fault}", "red")
        for remark in result.remarks:
            _say(console, f"{result.name}: {remark}", "dim")


def _say(console: Console, text: str, style: str) -> None:
    console.print(text, style=style, markup=False, soft_wrap=True)
