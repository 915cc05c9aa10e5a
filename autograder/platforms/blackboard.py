"""Blackboard: its downloads of submissions, and its gradebook.

A submitted file is called `Assignment_user_attempt_date_file`; a `.txt` for each attempt has the
student's name. The gradebook is Blackboard's download with the graded columns filled in. An upload
finds a student by the user name, and a column by the number behind the bar in its head; a head
without one makes a new column. Blackboard itself adds up the totals ("up to" so many points).
"""

import re
from collections.abc import Sequence
from datetime import datetime

from autograder.classroom.downloads import Importer, Listing, Owner, Piece
from autograder.platforms.gradebook import GradebookFormat, NamedRow
from autograder.platforms.rows import Person

_FILE = re.compile(
    r"(?P<assignment>.+)_(?P<user>[^_]+)_attempt_"
    r"(?P<date>\d{4}-\d\d-\d\d-\d\d-\d\d-\d\d)(?:_(?P<file>.+)|(?P<note>\.txt))"
)
_NAME = re.compile(r"Name:[ \t]*(?P<name>.*?)[ \t]*\((?P<user>[^()]*)\)[ \t]*\r?\n")
_ORIGINAL = re.compile(
    r"^\s*Original filename:[ \t]*(?P<original>.+?)[ \t]*\r?\n"
    r"\s*Filename:[ \t]*(?P<file>.+?)[ \t]*\r?$",
    re.MULTILINE,
)


def read(listing: Listing) -> Sequence[Piece]:
    """Return the files of all attempts; the notes beside them have names of people and files.

    A note holds text of its student. So it is believed for its own attempt only.
    """
    found = [match for name in listing.files if (match := _FILE.fullmatch(name))]
    names: dict[str, str] = {}
    originals: dict[str, str] = {}
    for match in found:
        if match["note"]:
            text = listing.text(match.string)
            named = _NAME.match(text)
            if named and named["user"].strip() == match["user"]:
                names[match["user"]] = named["name"]
            originals |= _originals(match, text)
    uploaded = {_attempt(match) for match in found if match["file"]}
    return [
        _piece(match, names, originals)
        for match in found
        if match["file"] or _attempt(match) not in uploaded
    ]


def _originals(note: re.Match[str], text: str) -> dict[str, str]:
    """Return the original names of the files of a note's attempt."""
    found = {}
    for line in _ORIGINAL.finditer(text):
        file = _FILE.fullmatch(line["file"])
        if file and _attempt(file) == _attempt(note):
            found[line["file"]] = line["original"].replace("\\", "/").rsplit("/", 1)[-1]
    return found


def _attempt(match: re.Match[str]) -> tuple[str, str]:
    return match["user"], match["date"]


def _piece(match: re.Match[str], names: dict[str, str], originals: dict[str, str]) -> Piece:
    """Return the piece of a file; a note alone is an attempt without files."""
    user = match["user"]
    file = originals.get(match.string, match["file"] or "")
    return Piece(
        entry=match.string,
        owners=(Owner(key=user, id=user, name=names.get(user, "")),),
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


def _notes(listing: Listing) -> list[str]:
    return [name for name in listing.files if (match := _FILE.fullmatch(name)) and match["note"]]


BLACKBOARD = Importer(
    name="blackboard",
    title="Blackboard",
    expected="files such as Homework 1_amuster_attempt_2027-02-05-23-10-00_homework.py",
    recognise=lambda listing: sum(_FILE.fullmatch(name) is not None for name in listing.files),
    read=read,
    also=_notes,
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
    remedy="In Blackboard's gradebook, download the full grade centre, and name that file.",
)
