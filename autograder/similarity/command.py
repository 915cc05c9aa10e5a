"""Command `autograder similar`: list similar code for a person to judge."""

from collections.abc import Sequence
from pathlib import Path

import click
import numpy as np
from rich.console import Console
from rich.table import Table
from rich.text import Text

from autograder.cli.options import PATH, course_option, exercises_option
from autograder.course.course_file import find_course
from autograder.course.errors import UserError
from autograder.course.installation import require
from autograder.course.text import several
from autograder.similarity.pages import INDEX, write_pages
from autograder.similarity.pairs import (
    ExerciseSimilarity,
    Fingerprints,
    compare_exercise,
    fingerprints_of,
)
from autograder.similarity.submitted_code import known_fingerprints, read_class, right_answers


@click.command()
@click.argument("submissions", type=PATH)
@click.option("--out", type=PATH, required=True, help="Folder for the pages.")
@exercises_option
@click.option("--from", "platform", help="Platform of the download, as for `grade`.")
@click.option("--roster", type=PATH, help="CSV of the enrolled students, as for `grade`.")
@click.option(
    "--most",
    type=click.IntRange(1, 9999),
    default=50,
    show_default=True,
    help="Show at most this many pairs side by side.",
)
@course_option
def similar(
    submissions: Path,
    out: Path,
    exercises: tuple[str, ...],
    platform: str | None,
    roster: Path | None,
    most: int,
    course_path: Path | None,
) -> None:
    """List pairs of similar code in SUBMISSIONS. The list proves nothing. You decide.

    Code that the course hands out, and code of its solutions, is removed first. For comparison, the
    list shows how similar independent correct solutions are. Nothing leaves this machine, and
    `grade` never compares students. Needs the extra `similar`.
    """
    require("similar", "autograder similar")
    course = find_course(Path.cwd(), named=course_path)
    if out.resolve() == submissions.resolve():
        raise UserError(f"--out {out} is the folder of the submissions. Name another folder.")
    names = [course.exercise(name).name for name in exercises] or list(course.exercises)
    with Console(stderr=True).status("Comparing. A large class takes minutes"):
        submitted = read_class(submissions, course, names, platform, roster)
        known = known_fingerprints(course)

        def own(text: str) -> Fingerprints:
            return np.setdiff1d(fingerprints_of(text), known, assume_unique=True)

        rows = []
        for name in names:
            work = {student: own(text) for student, text in submitted.code[name].items()}
            right = [own(text) for text in right_answers(course, name)]
            title = course.exercise(name).title
            rows.append(compare_exercise((name, title), work, right, submitted.together))
    try:
        written = write_pages(out, course.title, rows, submitted, known, most)
    except OSError as error:
        raise UserError(f"{out} cannot be written to: {error.strerror}.") from None
    console = Console(highlight=False, soft_wrap=True)
    console.print(_table(rows))
    console.print(
        Text(
            f"{several(written, 'pair')} to look at. Similarity is no proof: compare it with that "
            f"of unrelated work, read both, and talk with the students."
        )
    )
    console.print(Text(f"Written   {out / INDEX}"))


def _table(rows: Sequence[ExerciseSimilarity]) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("exercise")
    for title in ("compared", "right answers, highest", "class, median", "pairs"):
        table.add_column(title, justify="right")
    for row in rows:
        table.add_row(
            Text(row.title),
            str(row.compared),
            f"{row.right.highest:.0%}" if row.right.pairs else "–",
            f"{row.everybody.median:.0%}" if row.everybody.pairs else "–",
            str(len(row.pairs)),
        )
    return table
