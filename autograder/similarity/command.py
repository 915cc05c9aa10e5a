"""`autograder similar`: whose code is alike, for a person to judge."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table
from rich.text import Text

from autograder.course.course_file import Course, find_course
from autograder.course.errors import UserError
from autograder.course.installation import require
from autograder.course.text import several
from autograder.similarity.fingerprints import Fingerprints, fingerprints_of
from autograder.similarity.pages import INDEX, SimilarPages
from autograder.similarity.pairs import ExerciseSimilarity, compare_exercise
from autograder.similarity.submitted_code import (
    ClassCode,
    known_fingerprints,
    read_class,
    right_answers,
)


def run(
    submissions: Path,
    out: Path,
    exercises: Sequence[str],
    platform: str | None,
    roster: Path | None,
    most: int,
    course_path: Path | None,
) -> int:
    """Compare a class's code, and write the pages; 0 whatever is alike."""
    require("similar", "autograder similar")
    course = find_course(Path.cwd(), named=course_path)
    if out.resolve() == submissions.resolve():
        raise UserError(f"--out {out} is the folder of the submissions; name another one.")
    names = [course.exercise(name).name for name in exercises] or list(course.exercises)
    with Console(stderr=True).status("Comparing; a large class takes minutes"):
        read = read_class(submissions, course, names, platform, roster)
        known = known_fingerprints(course)
        found = [_compared(course, name, read, known) for name in names]
    try:
        written = SimilarPages(out, course.title).write(found, read.code, known, most, read.notes)
    except OSError as error:
        raise UserError(f"{out} cannot be written to: {error.strerror}.") from None
    console = Console(highlight=False, soft_wrap=True)
    console.print(_table(found))
    console.print(
        Text(
            f"{several(written, 'pair')} to look at. Likeness is no proof: see how like unrelated "
            f"work is, read both, and ask."
        )
    )
    console.print(Text(f"Written   {out / INDEX}"))
    return 0


def _compared(
    course: Course, name: str, read: ClassCode, known: Fingerprints
) -> ExerciseSimilarity:
    def own(text: str) -> Fingerprints:
        return np.setdiff1d(fingerprints_of(text), known, assume_unique=True)

    work = {student: own(text) for student, text in read.code[name].items()}
    right = [own(text) for text in right_answers(course, name)]
    return compare_exercise((name, course.exercise(name).title), work, right, read.together)


def _table(found: Sequence[ExerciseSimilarity]) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("exercise")
    for title in ("compared", "right answers at most", "class, middle", "pairs"):
        table.add_column(title, justify="right")
    for each in found:
        table.add_row(
            Text(each.title),
            str(each.compared),
            f"{each.right.highest:.0%}" if each.right.pairs else "–",
            f"{each.everybody.median:.0%}" if each.everybody.pairs else "–",
            str(len(each.pairs)),
        )
    return table
