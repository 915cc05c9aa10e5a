"""A repository for each student: folders `assignment-user`, as Classroom 50 clones them."""

from collections.abc import Sequence

from autograder.classroom.downloads import Importer, Listing, Owner, Piece

LEAST = 2  # folders, from which what they have in common can be told


def prefix_of(names: Sequence[str]) -> str:
    """Return the common beginning of all names, up to a hyphen: the assignment."""
    first, last = min(names), max(names)
    same = (at for at, (a, b) in enumerate(zip(first, last, strict=False)) if a != b)
    common = first[: next(same, min(len(first), len(last)))]
    prefix = common[: common.rfind("-") + 1]
    return prefix if all(len(name) > len(prefix) for name in names) else ""


def read(listing: Listing) -> Sequence[Piece]:
    folders = listing.folders
    prefix = prefix_of(folders) if len(folders) >= LEAST else ""
    return [
        Piece(entry=name, owners=(Owner(key=user, id=user),))
        for name in folders
        for user in [name.removeprefix(prefix)]
    ]


def recognise(listing: Listing) -> int:
    """Count folders with a `.git`: names with a hyphen are too common."""
    folders = listing.folders
    if len(folders) < LEAST or not prefix_of(folders):
        return 0
    return len(folders) if all(listing.has(name, ".git") for name in folders) else 0


REPOSITORIES = Importer(
    name="repositories",
    title="repositories, one a student",
    expected="folders such as week-1-amuster, each a clone",
    recognise=recognise,
    read=read,
)
