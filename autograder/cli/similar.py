"""`autograder similar`: whose code is alike, for a person to judge."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table
from rich.text import Text

from autograder.course import Course, find_course
from autograder.errors import UserError
from autograder.extras import require
from autograder.similarity.class_code import ClassCode, read_class
from autograder.similarity.fingerprints import Prints, prints_of
from autograder.similarity.known_code import known_prints, right_answers
from autograder.similarity.pairs import Alike, alike
from autograder.similarity.similar_pages import INDEX, SimilarPages
from autograder.text import several


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
        known = known_prints(course)
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


def _compared(course: Course, name: str, read: ClassCode, known: Prints) -> Alike:
    def own(text: str) -> Prints:
        return np.setdiff1d(prints_of(text), known, assume_unique=True)

    work = {student: own(text) for student, text in read.code[name].items()}
    right = [own(text) for text in right_answers(course, name)]
    return alike((name, course.exercise(name).title), work, right, read.together)


def _table(found: Sequence[Alike]) -> Table:
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
