"""Canvas' gradebook: its own export with the graded columns filled in, and no others.

An empty cell over a score is a change to Canvas. So columns that were not graded are left out, and
cells of students without points stay as they are.
"""

import re

from autograder.exports.gradebook import Dialect, Heads
from autograder.exports.grades import Person
from autograder.report.table import EXCUSED


def person(heads: Heads) -> Person | None:
    """Whose a row is; those above the students have no id."""
    number = heads.get("id")
    if not number:
        return None
    name = heads.get("student") or f"{heads.get('firstname')} {heads.get('lastname')}"
    sis = [heads.get("sis user id"), heads.get("sis login id")]
    return Person(heads.row.line, number, sis, sis, [name])


CANVAS = Dialect(
    platform="canvas",
    needed=("ID", "Section"),
    about=frozenset(
        {
            "student",
            "lastname",
            "firstname",
            "id",
            "sis user id",
            "sis login id",
            "integration id",
            "root account",
            "section",
        }
    ),
    keys=frozenset({"id"}),
    title=re.compile(r"\s*(?P<title>.*?)\s*\((?P<id>\d+)\)\s*"),
    person=person,
    maxima=lambda row: bool(row.cells) and "Points Possible" in row.cells[0],
    excused=EXCUSED,
    remedy="Export the gradebook from Canvas, and name that file.",
)
