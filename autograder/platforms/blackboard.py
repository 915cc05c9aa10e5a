"""Blackboard's downloads of submissions, and its gradebook.

A submitted file is named `Assignment_user_attempt_date_file`. The student chooses only the part of
the name after the first `_attempt_` with a date. The gradebook is Blackboard's download with the
graded columns filled in. When the gradebook is uploaded, Blackboard finds students by user name,
and columns by the number after the bar in the heading. For a heading without a number, Blackboard
makes a new column. Blackboard adds up the totals itself.
"""

import re
from collections import Counter
from collections.abc import Collection, Sequence

from autograder.classroom.downloads import Importer, Listing, Owner, Piece
from autograder.platforms.gradebook import GradebookFormat, parsed_time

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
    """Return the files of all attempts.

    Students' names come from the notes beside the attempts. Students can write into a note, so a
    note counts only for the attempt to which it belongs.
    """
    entries = [match for name in listing.files if (match := _FILE.fullmatch(name))]
    named, originals = _from_notes(listing, entries)
    uploaded = {match.group("prefix", "date") for match in entries if match["file"]}
    people = _people({match["prefix"] for match in entries}, named)
    pieces = []
    for match in entries:
        # a note without files is an attempt
        if match["file"] or match.group("prefix", "date") not in uploaded:
            file = originals.get(match.string, match["file"] or "")
            pieces += [
                Piece(
                    entry=match.string,
                    owners=(owner,),
                    name=file or "the text of the attempt",
                    original=file,
                    attempt=(match["date"],),
                    whole=True,
                    at=parsed_time(match["date"], "%Y-%m-%d-%H-%M-%S"),
                )
                for owner in people[match["prefix"]]
            ]
    return pieces


def _from_notes(
    listing: Listing, entries: Sequence[re.Match[str]]
) -> tuple[dict[str, Owner], dict[str, str]]:
    """Map the prefixes of file names to students, and file names to the original names."""
    named: dict[str, Owner] = {}
    originals: dict[str, str] = {}
    for note in entries:
        if not note["note"]:
            continue
        text = listing.text(note.string)
        line = _NAME.match(text)
        user = line["user"].strip() if line else ""
        if line and user and note["prefix"].endswith(f"_{user}"):
            named[note["prefix"]] = Owner(key=user, id=user, name=line["name"])
        for pair in _ORIGINAL.finditer(text):
            other = _FILE.fullmatch(pair["file"])
            if other and other.group("prefix", "date") == note.group("prefix", "date"):
                originals[pair["file"]] = pair["original"].replace("\\", "/").rsplit("/", 1)[-1]
    return named, originals


def _people(prefixes: Collection[str], named: dict[str, Owner]) -> dict[str, list[Owner]]:
    """Return the possible students for each prefix of a file's name.

    A prefix is an assignment and a user name. Both may contain underscores, so a prefix may have
    several students.
    """
    assignments = {prefix.removesuffix(owner.id) for prefix, owner in named.items()}
    people = {prefix: [owner] for prefix, owner in named.items()}
    users = Counter(owner.id for owner in named.values())
    unnamed = sorted(set(prefixes) - set(named))
    for prefix in unnamed:
        cuts = [known for known in assignments if prefix.startswith(known) and prefix != known]
        ids = {prefix.removeprefix(cut) for cut in cuts} or {prefix.rpartition("_")[2] or prefix}
        people[prefix] = [Owner(key=user, id=user) for user in sorted(ids)]
        users.update(ids)
    for prefix in unnamed:
        if any(users[owner.id] > 1 for owner in people[prefix]):
            people[prefix].append(Owner(key=prefix, id=prefix))
    return people


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

BLACKBOARD_GRADEBOOK = GradebookFormat(
    platform="blackboard",
    needed=("Username",),
    about=frozenset({"last name", "first name", "username", "student id"}),
    keys=frozenset({"username", "student id"}),
    title=re.compile(
        r"\s*(?P<title>.*?)\s*\[Total Pts: (?P<points>[\d.,]+) Score\]\s*\|\s*(?P<id>\d+)\s*"
    ),
    id="username",
    others=("student id",),
    names=(("first name", "last name"),),
    remedy=(
        "In Blackboard's gradebook, download the full grade centre, and name that file "
        "with --template."
    ),
)
