"""Blackboard's gradebook: its download, with the graded columns filled in.

An upload finds a student by the user name, and a column by the number behind the bar in its head;
a head without one makes a new column. Totals, "up to" so many points, are Blackboard's to reckon.
"""

import re

from autograder.exports.gradebook import Dialect, Heads
from autograder.exports.grades import Person


def person(heads: Heads) -> Person | None:
    """Whose a row is."""
    user, student = heads.get("username"), heads.get("student id")
    if not user:
        return None
    name = f"{heads.get('first name')} {heads.get('last name')}"
    return Person(heads.row.line, user, [student], [], [name])


BLACKBOARD = Dialect(
    platform="blackboard",
    needed=("Username",),
    about=frozenset({"last name", "first name", "username", "student id"}),
    keys=frozenset({"username", "student id"}),
    title=re.compile(
        r"\s*(?P<title>.*?)\s*\[Total Pts: (?P<points>[\d.,]+) Score\]\s*\|\s*(?P<id>\d+)\s*"
    ),
    person=person,
    remedy="In Blackboard's gradebook, download the full grade centre, and name that file.",
)
