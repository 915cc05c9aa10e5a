"""Blackboard: `Assignment_user_attempt_date_file`, and a `.txt` for each attempt with its name."""

import re
from collections.abc import Sequence
from datetime import datetime

from autograder.classroom.downloads import Importer, Listing, Owner, Piece
from autograder.classroom.grades import Person
from autograder.platforms.gradebook import GradebookFormat, NamedRow

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
    """The files of all attempts; names of people and of files are in the notes beside them.

    A note has text of the student's in it. So it is believed for its own attempt only.
    """
    found = [match for name in listing.files if (match := _FILE.fullmatch(name))]
    names: dict[str, str] = {}
    originals: dict[str, str] = {}
    for match in found:
        if match["note"]:
            text = listing.text(match.string)
            said = _NAME.match(text)
            if said and said["user"].strip() == match["user"]:
                names[match["user"]] = said["name"]
            originals |= _originals(match, text)
    uploaded = {_attempt(match) for match in found if match["file"]}
    return [
        _piece(match, names, originals)
        for match in found
        if match["file"] or _attempt(match) not in uploaded
    ]


def _originals(note: re.Match[str], text: str) -> dict[str, str]:
    """What the files of the note's attempt were called."""
    found = {}
    for said in _ORIGINAL.finditer(text):
        file = _FILE.fullmatch(said["file"])
        if file and _attempt(file) == _attempt(note):
            found[said["file"]] = said["original"].replace("\\", "/").rsplit("/", 1)[-1]
    return found


def _attempt(match: re.Match[str]) -> tuple[str, str]:
    return match["user"], match["date"]


def _piece(match: re.Match[str], names: dict[str, str], originals: dict[str, str]) -> Piece:
    """A file of an attempt; a note alone is an attempt without files."""
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


# Blackboard's gradebook: its download, with the graded columns filled in.
#
# An upload finds a student by the user name, and a column by the number behind the bar in its head;
# a head without one makes a new column. Totals, "up to" so many points, are Blackboard's to reckon.


def person(heads: NamedRow) -> Person | None:
    """Whose a row is."""
    user, student = heads.get("username"), heads.get("student id")
    if not user:
        return None
    name = f"{heads.get('first name')} {heads.get('last name')}"
    return Person(heads.row.line, user, [student], [], [name])


BLACKBOARD_GRADEBOOK = GradebookFormat(
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
