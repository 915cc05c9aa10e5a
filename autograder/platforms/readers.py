"""Readers of platforms' downloads, registered by an entry point.

This module has the readers for downloads with one folder per student: nbgrader's `submitted/` with
`student/assignment/`, and repositories `assignment-user` from Classroom 50.
"""

import os
from collections.abc import Sequence
from datetime import UTC, datetime

from autograder.classroom.downloads import YEARS, Importer, Listing, Owner, Piece
from autograder.platforms.blackboard import BLACKBOARD
from autograder.platforms.brightspace import BRIGHTSPACE
from autograder.platforms.canvas import CANVAS
from autograder.platforms.gradescope import GRADESCOPE
from autograder.platforms.moodle import MOODLE

STAMP = "timestamp.txt"  # file in nbgrader's exchange
LEAST = 2  # folders needed to find a common prefix


def time_of(text: str) -> datetime | None:
    """Return the time in a `timestamp.txt`, such as `2027-02-05 22:10:00.123456 UTC`."""
    from zoneinfo import ZoneInfo  # the import searches for data

    words = text.split()
    try:
        when = datetime.fromisoformat(" ".join(words[:2]))
        zone = ZoneInfo(words[2]) if len(words) > 2 else UTC
    except (ValueError, OSError, LookupError):
        return None
    return when if when.tzinfo else when.replace(tzinfo=zone)


def _stamps(listing: Listing, student: str) -> list[str]:
    below = listing.below(student)
    return [below.text(name, STAMP) for name in below.folders if below.has(name, STAMP)]


def _read_submitted(listing: Listing) -> Sequence[Piece]:
    pieces = []
    for student in listing.folders:
        times = [when for text in _stamps(listing, student) if (when := time_of(text))]
        possible = [when for when in times if when.year in YEARS]
        at = max(possible) if possible else next(iter(times), None)
        pieces.append(Piece(entry=student, owners=(Owner(key=student, id=student),), at=at))
    return pieces


NBGRADER = Importer(
    name="nbgrader",
    title="nbgrader's submitted folder",
    expected="folders such as amuster/week-1 with a timestamp.txt in it",
    recognise=lambda listing: sum(bool(_stamps(listing, name)) for name in listing.folders),
    read=_read_submitted,
)


def prefix_of(names: Sequence[str]) -> str:
    """Return the common beginning of several names up to a hyphen. If there is none, return ""."""
    if len(names) < LEAST:
        return ""
    common = os.path.commonprefix(names)  # noqa: RUF071  of characters, not of folders
    prefix = common[: common.rfind("-") + 1]
    return prefix if all(len(name) > len(prefix) for name in names) else ""


def _read_repositories(listing: Listing) -> Sequence[Piece]:
    prefix = prefix_of(listing.folders)
    users = {name: name.removeprefix(prefix) for name in listing.folders}
    return [Piece(entry=name, owners=(Owner(key=user, id=user),)) for name, user in users.items()]


def _recognise_repositories(listing: Listing) -> int:
    """Return the number of folders if all are clones with a `.git`. Otherwise, return 0."""
    folders = listing.folders
    are_clones = prefix_of(folders) and all(listing.has(name, ".git") for name in folders)
    return len(folders) if are_clones else 0


REPOSITORIES = Importer(
    name="repositories",
    title="a repository for each student",
    expected="folders such as week-1-amuster, each a cloned repository",
    recognise=_recognise_repositories,
    read=_read_repositories,
    starters=True,
)

# If two readers recognise equally many entries of a download, the first one reads it.
READERS = (GRADESCOPE, MOODLE, CANVAS, BLACKBOARD, BRIGHTSPACE, NBGRADER, REPOSITORIES)
