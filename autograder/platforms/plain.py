"""A folder for each student, called as the student."""

from collections.abc import Sequence

from autograder.platforms.listing import Listing
from autograder.platforms.model import Importer, Owner, Piece


def read(listing: Listing) -> Sequence[Piece]:
    return [
        Piece(entry=name, owners=(Owner(key=name, id=name, name=name),)) for name in listing.folders
    ]


PLAIN = Importer(
    name="folders",
    title="a folder for each student",
    expected="folders, each called as its student",
    recognise=lambda _: 0,
    read=read,
)
