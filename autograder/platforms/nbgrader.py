"""nbgrader's `submitted/`: `student/assignment/`, and in it `timestamp.txt` of the exchange."""

from collections.abc import Sequence
from datetime import UTC, datetime

from autograder.classroom.downloads import Importer, Listing, Owner, Piece

STAMP = "timestamp.txt"


def time_of(text: str) -> datetime | None:
    """Return the time of a `timestamp.txt`: `2027-02-05 22:10:00.123456 UTC`."""
    from zoneinfo import ZoneInfo  # which looks for its data when it is imported

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


def read(listing: Listing) -> Sequence[Piece]:
    pieces = []
    for student in listing.folders:
        times = [when for text in _stamps(listing, student) if (when := time_of(text))]
        owner = Owner(key=student, id=student)
        pieces.append(Piece(entry=student, owners=(owner,), at=max(times, default=None)))
    return pieces


def recognise(listing: Listing) -> int:
    return sum(bool(_stamps(listing, student)) for student in listing.folders)


NBGRADER = Importer(
    name="nbgrader",
    title="nbgrader's submitted folder",
    expected="folders such as amuster/week-1 with a timestamp.txt in it",
    recognise=recognise,
    read=read,
)
