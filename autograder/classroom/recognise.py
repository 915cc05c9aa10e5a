"""The platform that a download comes from, and the entries of it that nobody understands."""

from collections import Counter
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

import msgspec

from autograder.classroom.downloads import PLAIN, Entry, Importer, Listing, Piece
from autograder.course.errors import UserError
from autograder.course.installation import extension, hooks
from autograder.course.text import few, nearest, one_line, several
from autograder.submission.file_names import named_for

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "autograder.platforms"  # entry points: each an importer, or several
KIT = "autograder."  # how the kit's own entry point begins
MAX_LEVELS = 5  # of folders around a download
MAX_SHOWN = 5
MAX_COMPARED = 50  # entries that are compared with the names of others

Pieces = list[tuple[Importer, Piece]]


class Recognised(msgspec.Struct, frozen=True):
    """A download: its pieces in order, and notes.

    `not_understood` are the notes on entries that are nobody's, with their number in front.
    """

    listing: Listing
    pieces: Pieces
    notes: list[str]
    not_understood: list[str]


def importers() -> dict[str, Importer]:
    """Return all importers by name; a site's replaces one of the kit with the same name.

    Raises:
        UserError: a site's importer cannot be loaded, or is none.
    """
    points = hooks(GROUP).values()
    kits = [point for point in points if point.value.startswith(KIT)]
    known = {importer.name: importer for point in kits for importer in _of_the_kit(point)}
    known[PLAIN.name] = PLAIN
    for point in points:
        if point.value.startswith(KIT):
            continue
        try:
            importer = point.load()
        except Exception as error:  # whatever a site's module raises
            raise UserError(
                f"The importer {point.name!r} ({point.value}) cannot be loaded: "
                f"{type(error).__name__}: {error}. Mend it, or uninstall its package."
            ) from None
        if not isinstance(importer, Importer):
            raise UserError(
                f"The importer {point.name!r} ({point.value}) is no autograder.classroom.downloads."
                f"Importer. Name one in the entry point."
            )
        known[point.name] = importer
    return known


def _of_the_kit(point: "EntryPoint") -> Sequence[Importer]:
    """Return the kit's importers; none if the extension is not installed."""
    try:
        found: Sequence[Importer] = point.load()
    except ModuleNotFoundError as error:
        if not f"{point.module}.".startswith(f"{error.name}."):
            raise
        return ()
    return found


def platforms_with_ids() -> list[str]:
    """Return the names of the platforms that have ids of their own for students.

    Raises:
        UserError: a site's importer cannot be loaded, or is none.
    """
    return [name for name in importers() if name != PLAIN.name]


def named(name: str) -> Importer:
    """Return the importer of that name.

    Raises:
        UserError: there is none; the message lists those that there are.
    """
    known = importers()
    if name not in known:
        extension(GROUP, "kit", f"--from {name}", extra="platforms")
        near = nearest(name, known)
        meant = f" Did you mean {near}?" if near else ""
        raise UserError(f"No platform is called {name!r}.{meant} Known: {', '.join(known)}.")
    return known[name]


def recognise(
    listing: Listing, exercises: Collection[str], platform: str | None = None
) -> Recognised | None:
    """Read a download by its entries' names, or as the `platform` that is named.

    Returns:
        None where no platform is named, and none has made it: these are a class's own folders.

    Raises:
        UserError: the named platform is not known, or has made nothing of it.
    """
    if platform is not None:
        return _read_as(listing, named(platform), exercises)
    known = importers().values()
    for here in _levels(listing):
        counts = {importer.name: importer.recognise(here) for importer in known}
        found = [importer for importer in known if counts[importer.name] > 0]
        if found:
            found.sort(key=lambda importer: -counts[importer.name])
            return _read(here, [*found, PLAIN], exercises)
    return None


def _levels(listing: Listing) -> list[Listing]:
    """Return the listing, and those below it as long as a level holds only one folder."""
    levels = [listing]
    while len(levels) <= MAX_LEVELS:
        here = levels[-1]
        if len(here.folders) != 1 or here.files:
            break
        levels.append(here.below(here.folders[0]))
    return levels


def _read_as(listing: Listing, importer: Importer, exercises: Collection[str]) -> Recognised:
    for here in _levels(listing):
        around = len(here.folders) == 1 and not here.files
        if around and importer is not PLAIN and not importer.recognise(here):
            continue  # what is meant may lie further down
        if importer.read(here):
            return _read(here, [importer], exercises)
    raise UserError(
        f"{listing.root} holds nothing that comes from {importer.title}. Expected "
        f"{importer.expected}. Leave --from out, and it is said what is there."
    )


def _read(listing: Listing, found: Sequence[Importer], exercises: Collection[str]) -> Recognised:
    """Give each entry to the first importer that understands it."""
    pieces: Pieces = []
    taken: set[str] = set()
    for importer in found:
        skipped = set(exercises) if importer is PLAIN else set()
        own = [
            piece
            for piece in importer.read(listing)
            if piece.entry not in taken and not named_for(piece.entry, skipped)
        ]
        taken.update(piece.entry for piece in own)
        pieces += [(importer, piece) for piece in own]
    taken.update(name for importer in found for name in importer.also(listing))
    pieces.sort(key=lambda pair: (pair[1].entry, pair[1].attempt))
    rest = [entry for entry in listing.entries if entry.name not in taken]
    unclear = [
        _not_understood(entry, pieces if at < MAX_COMPARED else [], found[0], exercises)
        for at, entry in enumerate(rest)
    ]
    if unclear:
        unclear.insert(0, f"{several(len(rest), 'entry')} not understood, and so not graded:")
    return Recognised(listing, pieces, [_origin(pieces, found)], unclear)


def _origin(pieces: Pieces, found: Sequence[Importer]) -> str:
    """Return a note on a download's platforms; of a mixed one, with the entries of the few."""
    entries: dict[str, dict[str, None]] = {importer.title: {} for importer in found}
    for importer, piece in pieces:
        entries[importer.title][piece.entry] = None
    counts = Counter({title: len(names) for title, names in entries.items() if names})
    first, *others = counts.most_common() or [(found[0].title, 0)]
    if not others:
        return f"Read as a download of {first[0]}: {several(first[1], 'entry')}."
    parts = [f"{several(first[1], 'entry')} of {first[0]}"]
    for title, count in others:
        names = [one_line(piece.entry, 60) for importer, piece in pieces if importer.title == title]
        parts.append(f"{several(count, 'entry')} of {title} ({few(names, MAX_SHOWN)})")
    return f"This is a mixed folder: {'; '.join(parts)}. Each was read as what it is."


def _not_understood(
    entry: Entry, pieces: Pieces, importer: Importer, exercises: Collection[str]
) -> str:
    """Return a note on an entry that is nobody's: why, and whose name is most similar."""
    name, is_folder = entry.name, entry.is_folder
    kind = "folder" if is_folder else "file"
    why = f"its name is not one that {importer.title} makes ({importer.expected})"
    if is_folder and named_for(name, exercises):
        why = "it is called after an exercise, not after a student"
    by_entry = {piece.entry: piece.owners[0].key for _, piece in pieces}
    near = nearest(name, by_entry, cutoff=0.5)
    like = f" Most like it is {one_line(by_entry[near], 60)}'s." if near else ""
    return f"{one_line(name, 100)} is nobody's: a {kind}, and {why}.{like}"
