"""Blackboard: its downloads of submissions, and its gradebook.

A submitted file is named `Assignment_user_attempt_date_file`; a `.txt` for each attempt has the
student's name. The student chooses only the text after the first `_attempt_` with a date.

The gradebook is Blackboard's download with the graded columns filled in. An upload finds a student
by the user name, and a column by the number after the bar in its heading; a heading without a
number makes a new column. Blackboard itself adds up the totals ("up to" the maximum).
"""

import re
from collections import Counter
from collections.abc import Collection, Sequence
from datetime import datetime

from autograder.classroom.downloads import Importer, Listing, Owner, Piece
from autograder.platforms.gradebook import GradebookFormat, NamedRow
from autograder.platforms.rows import Person

_FILE = re.compile(
    r"(?P<prefix>.+?_.+?)_attempt_"
    r"(?P<date>\d{4}-\d\d-\d\d-\d\d-\d\d-\d\d)(?:_(?P<file>.+)|(?P<note>\.txt))"
)
_NAME = re.compile(r"Name:[ \t]*(?P<name>.*?)[ \t]*\((?P<user>[^()]*)\)[ \t]*\r?\n")
_ORIGINAL = re.compile(
    r"^\s*Original filename:[ \t]*(?P<original>.+?)[ \t]*\r?\n"
    r"\s*Filename:[ \t]*(?P<file>.+?)[ \t]*\r?$",
    re.MULTILINE,
)


def read(listing: Listing) -> Sequence[Piece]:
    """Return the files of all attempts. The notes next to them name people and files.

    A note contains text by its student, so it is trusted only for the student's own attempt.
    """
    found = [match for name in listing.files if (match := _FILE.fullmatch(name))]
    named: dict[str, Owner] = {}
    originals: dict[str, str] = {}
    for match in found:
        if match["note"]:
            text = listing.text(match.string)
            line = _NAME.match(text)
            user = line["user"].strip() if line else ""
            if line and user and match["prefix"].endswith(f"_{user}"):
                named[match["prefix"]] = Owner(key=user, id=user, name=line["name"])
            originals |= _originals(match, text)
    uploaded = {_attempt(match) for match in found if match["file"]}
    people = _people({match["prefix"] for match in found}, named)
    return [
        _piece(match, owner, originals)
        for match in found
        if match["file"] or _attempt(match) not in uploaded
        for owner in people[match["prefix"]]
    ]


def _people(prefixes: Collection[str], named: dict[str, Owner]) -> dict[str, list[Owner]]:
    """Return the students whom the beginnings (prefixes) of the files' names may mean.

    A prefix is an assignment and a user name, and both may contain underscores. A prefix belongs to
    one person. If two prefixes would mean the same user, and no note names the students, each
    prefix keeps several candidates.
    """
    assignments = {prefix.removesuffix(owner.id) for prefix, owner in named.items()}
    people = {prefix: [owner] for prefix, owner in named.items()}
    users = Counter(owner.id for owner in named.values())
    for prefix in sorted(set(prefixes) - set(named)):
        cuts = [known for known in assignments if prefix.startswith(known) and prefix != known]
        ids = {prefix.removeprefix(known) for known in cuts} or {
            prefix.rpartition("_")[2] or prefix
        }
        people[prefix] = [Owner(key=user, id=user) for user in sorted(ids)]
        users.update(ids)
    for prefix, owners in people.items():
        if prefix not in named and any(users[owner.id] > 1 for owner in owners):
            people[prefix] = [*owners, Owner(key=prefix, id=prefix)]
    return people


def _originals(note: re.Match[str], text: str) -> dict[str, str]:
    """Return the original names of the files in a note's attempt, as a dict by downloaded name."""
    found = {}
    for line in _ORIGINAL.finditer(text):
        file = _FILE.fullmatch(line["file"])
        if file and _attempt(file) == _attempt(note):
            found[line["file"]] = line["original"].replace("\\", "/").rsplit("/", 1)[-1]
    return found


def _attempt(match: re.Match[str]) -> tuple[str, str]:
    return match["prefix"], match["date"]


def _piece(match: re.Match[str], owner: Owner, originals: dict[str, str]) -> Piece:
    """Return the piece for a file or a note. A note without files is an attempt too."""
    file = originals.get(match.string, match["file"] or "")
    return Piece(
        entry=match.string,
        owners=(owner,),
        name=file or "the text of the attempt",
        original=file,
        attempt=(match["date"],),
        whole=True,
        at=_time(match["date"]),
    )


def _time(date: str) -> datetime | None:
    try:
        return datetime.strptime(date, "%Y-%m-%d-%H-%M-%S")
    except ValueError:
        return None


BLACKBOARD = Importer(
    name="blackboard",
    title="Blackboard",
    expected="files such as Homework 1_amuster_attempt_2027-02-05-23-10-00_homework.py",
    recognise=lambda listing: sum(_FILE.fullmatch(name) is not None for name in listing.files),
    read=read,
    also=lambda listing: [
        name for name in listing.files if (match := _FILE.fullmatch(name)) and match["note"]
    ],
)


def _person(row: NamedRow) -> Person | None:
    user, student = row.get("username"), row.get("student id")
    if not user:
        return None
    name = f"{row.get('first name')} {row.get('last name')}"
    return Person(row.line, user, [student], [], [name])


BLACKBOARD_GRADEBOOK = GradebookFormat(
    platform="blackboard",
    needed=("Username",),
    about=frozenset({"last name", "first name", "username", "student id"}),
    keys=frozenset({"username", "student id"}),
    title=re.compile(
        r"\s*(?P<title>.*?)\s*\[Total Pts: (?P<points>[\d.,]+) Score\]\s*\|\s*(?P<id>\d+)\s*"
    ),
    person=_person,
    remedy=(
        "In Blackboard's gradebook, download the full grade centre, and name that file "
        "with --template."
    ),
)
