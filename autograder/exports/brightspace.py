"""Brightspace's gradebook: its export of points, with the graded columns filled in.

Students are found by Org Defined ID or user name, which stand behind a `#`; other details of them
are not to be imported. The last column marks the end of the line.
"""

import re

from autograder.exports.gradebook import Dialect, Heads
from autograder.exports.grades import Person


def person(heads: Heads) -> Person | None:
    """Whose a row is."""
    ids = [heads.get(name).removeprefix("#") for name in ("orgdefinedid", "username")]
    if not any(ids):
        return None
    name = f"{heads.get('first name')} {heads.get('last name')}"
    return Person(heads.row.line, "", ids, [heads.get("email")], [name])


BRIGHTSPACE = Dialect(
    needed=("End-of-Line Indicator",),
    about=frozenset({"orgdefinedid", "username", "end-of-line indicator"}),
    keys=frozenset({"orgdefinedid", "username", "end-of-line indicator"}),
    title=re.compile(
        r"\s*(?P<title>.*?) Points Grade\s*(?:<Numeric MaxPoints:(?P<points>[\d.,]+)[^>]*>)?\s*"
    ),
    person=person,
    advice="Enter the Org Defined ID as the id in the roster, and grade again.",
    remedy=(
        "In Brightspace's gradebook, export points grades with Org Defined ID, names and e-mail, "
        "and name that file."
    ),
)
