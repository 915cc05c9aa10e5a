"""`autograder verify`: test the grader itself."""

import os
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import partial
from multiprocessing import get_context
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from autograder.authoring.kit_files import ReleaseOptions
from autograder.authoring.lint import refuse_authoring_errors
from autograder.authoring.mutants import equivalent_mutants
from autograder.authoring.recording import MAX_KEPT, RecordingOptions
from autograder.authoring.release import bundle, shares_of
from autograder.authoring.verify import QUICK, STEPS, Verified, Verifier
from autograder.cli.options import PATH, complete_exercise, course_option
from autograder.cli.release import print_recorded, print_shares
from autograder.course.cache import Cache
from autograder.course.course_file import Course, Exercise, find_course, load_course
from autograder.course.installation import missing_modules, require, require_libraries
from autograder.course.text import join_names, several

WIDE = 200  # number of columns if the output is not a terminal


@click.command()
@click.argument("exercises", nargs=-1, shell_complete=complete_exercise)
@click.option(
    "--workers", type=click.IntRange(1, 64), help="Number of processes.  [default: one per core]"
)
@click.option("--no-mutants", is_flag=True, help="Skip the mutants of the solutions.")
@click.option(
    "--quick",
    is_flag=True,
    help="Test one in 20 of the right answers, and one in 100 of the mistakes, mutants, pairs and "
    "seeds.",
)
@click.option("--table", type=PATH, help="Markdown file for the table. Other rows stay in it.")
@course_option
def verify(
    exercises: tuple[str, ...],
    workers: int | None,
    no_mutants: bool,
    quick: bool,
    table: Path | None,
    course_path: Path | None,
) -> None:
    """Test that a course grades correctly.

    The tests grade correct solutions with many seeds, stubs, known mistakes, and mutants of the
    solutions. If all pass, the command also shows how much a student kit judges, except with
    --quick or --no-mutants. The exit code is 0 if every test passes.
    """
    course = find_course(Path.cwd(), named=course_path)
    if not no_mutants:
        require("verify", "autograder verify without --no-mutants")
    chosen = [course.exercise(name) for name in exercises] or list(course.exercises.values())
    require_libraries(chosen)
    refuse_authoring_errors(course, chosen)
    if not no_mutants:
        equivalent_mutants(course.solution_file(chosen[0].name).parent, course.exercises)
    results = _all_verified(course, chosen, workers, not no_mutants, QUICK if quick else 1)
    print_results(results)
    if table is not None:
        before = table.read_text("utf-8") if exercises and table.exists() else ""
        table.write_text(markdown(results, before), encoding="utf-8")
    if any(result.faults for result in results):
        raise SystemExit(1)
    if not (quick or no_mutants):
        print_kit(course, chosen)


def _all_verified(
    course: Course, chosen: Sequence[Exercise], workers: int | None, with_mutants: bool, share: int
) -> list[Verified]:
    verified: dict[str, Verified] = {}
    processes = min(workers or os.cpu_count() or 1, len(chosen))
    with ProcessPoolExecutor(processes, get_context("spawn")) as pool:
        tasks = [  # the last exercises of a course take longest: begin with them
            pool.submit(verify_exercise, course.root, exercise.name, with_mutants, share)
            for exercise in reversed(chosen)
        ]
        for task in as_completed(tasks):
            result = task.result()
            verified[result.name] = result
            state = several(len(result.faults), "fault") if result.faults else "passes"
            print(f"{result.name}: {state} ({len(verified)} of {len(chosen)})", file=sys.stderr)
    return [verified[exercise.name] for exercise in chosen]


def verify_exercise(root: Path, name: str, with_mutants: bool, share: int) -> Verified:
    course = load_course(root / "course.yml")
    verifier = Verifier(course, course.exercise(name), share, partial(click.echo, err=True))
    return verifier.run([step for step in STEPS if with_mutants or step != "mutants"])


def print_kit(course: Course, exercises: Sequence[Exercise]) -> None:
    if missing := missing_modules("release"):
        print(f"The student kit was not tried, because it needs {join_names(missing)}.")
        return
    print("the student kit: answers, mistakes, then shares …", file=sys.stderr, flush=True)
    options = ReleaseOptions(tuple(exercises), course.content.hints, "py", 1)
    how = RecordingOptions(1, False, Cache.of_user("recorded", MAX_KEPT), print_recorded)
    print_shares(shares_of(course, bundle(course, options, how), options, how))


def print_results(results: list[Verified]) -> None:
    """Print the table at the terminal's width, and the faults on unbroken lines."""
    is_known = sys.stdout.isatty() or "COLUMNS" in os.environ
    console = Console(highlight=False, width=None if is_known else WIDE)
    table = Table(box=None, pad_edge=False, header_style="bold")
    first, *others = cells(results[0])
    table.add_column(first, no_wrap=True)
    for column in others:
        table.add_column(column, justify="right", overflow="fold")
    for result in results:
        table.add_row(*cells(result).values())
    console.print(table)
    for result in results:
        for style, messages in (("red", result.faults), ("dim", result.remarks)):
            for message in messages:
                text = f"{result.name}: {message}"
                console.print(text, style=style, markup=False, soft_wrap=True)


def cells(verified: Verified) -> dict[str, str]:
    return {
        "exercise": verified.name,
        "checks": str(verified.checks),
        "correct answers": str(verified.right),
        "misconceptions named": f"{verified.named} of {verified.misconceptions}",
        "pairs with one name": _share(verified.pairs_named, verified.pairs),
        "pairs with both names": _share(verified.pairs_both, verified.pairs),
        "mutants rejected": _share(verified.rejected, verified.mutants),
        "equivalent": str(verified.equivalent),
        "seeds": str(verified.seeds),
        "ms": f"{verified.milliseconds:.0f}",
    }


def markdown(results: Sequence[Verified], before: str = "") -> str:
    columns = cells(results[0])
    head = [f"| {' | '.join(columns)} |", f"|{'---|' * len(columns)}"]
    old = [line for line in before.splitlines() if line not in head]
    rows = {line.split()[1]: line for line in old if line.startswith("| ")}
    rows |= {each.name: f"| {' | '.join(cells(each).values())} |" for each in results}
    names = tuple(f"- {verified.name}: " for verified in results)
    faults = [line for line in old if line.startswith("- ") and not line.startswith(names)]
    faults += [f"- {each.name}: {text}" for each in results for text in each.faults]
    return "\n".join([*head, *rows.values(), *faults]) + "\n"


def _share(part: int, whole: int) -> str:
    return f"{part} of {whole} ({part / whole:.0%})" if whole else "–"
