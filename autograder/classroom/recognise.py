"""Which platform a download comes from, and what of it no importer understands."""

from collections import Counter
from collections.abc import Collection, Sequence
from importlib.metadata import entry_points

import msgspec

from autograder.classroom.downloads import PLAIN, Entry, Importer, Listing, Piece
from autograder.course.errors import UserError
from autograder.course.text import few, nearest, one_line, several
from autograder.submission.file_names import named_for

# The platforms that are known: those of the kit, and a site's own by entry point.


GROUP = "autograder.platforms"


def _own() -> tuple[Importer, ...]:
    """Return the importers of the kit, as people list them."""
    # Imported here until entry points register them: platforms is an extension.
    from autograder.platforms.blackboard import BLACKBOARD
    from autograder.platforms.brightspace import BRIGHTSPACE
    from autograder.platforms.canvas import CANVAS
    from autograder.platforms.gradescope import GRADESCOPE
    from autograder.platforms.moodle import MOODLE
    from autograder.platforms.nbgrader import NBGRADER
    from autograder.platforms.repositories import REPOSITORIES

    return (CANVAS, MOODLE, GRADESCOPE, BLACKBOARD, BRIGHTSPACE, REPOSITORIES, NBGRADER, PLAIN)


def with_ids() -> tuple[str, ...]:
    """The names of the platforms that call students something of their own, as people list them.

    Raises:
        UserError: a site's importer cannot be loaded, or is none.
    """
    listed = [importer.name for importer in _own() if importer is not PLAIN]
    return tuple(dict.fromkeys([*listed, *(name for name in importers() if name != PLAIN.name)]))


def importers() -> dict[str, Importer]:
    """All by name; of two with one name, the site's.

    Raises:
        UserError: a site's importer cannot be loaded, or is none.
    """
    found = {importer.name: importer for importer in _own()}
    for point in entry_points(group=GROUP):
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
        found[point.name] = importer
    return found


def named(name: str) -> Importer:
    """The importer of that name.

    Raises:
        UserError: there is none; it lists those that there are.
    """
    known = importers()
    if name not in known:
        near = nearest(name, known)
        meant = f" Did you mean {near}?" if near else ""
        raise UserError(f"No platform is called {name!r}.{meant} Known: {', '.join(known)}.")
    return known[name]


MAX_LEVELS = 5  # of folders around a download
MAX_SHOWN = 5
MAX_COMPARED = 50  # entries for which it is said whose they are most like
NOT_UNDERSTOOD = "not understood, and so not graded"
PIECES = list[tuple[Importer, Piece]]


class Recognised(msgspec.Struct):
    """A download: the entries with their owners, in order, and what is to be said of the rest."""

    listing: Listing
    pieces: PIECES
    notes: list[str]
    not_understood: list[str]


def recognise(
    listing: Listing, exercises: Collection[str], platform: str | None = None
) -> Recognised | None:
    """Read a download as what it is, or as the `platform` that is named.

    Returns:
        None where no platform is named, and none has made it: these are a class's own folders.

    Raises:
        UserError: the named platform is not known, or has made nothing of it.
    """
    if platform is not None:
        return _as_named(listing, named(platform), exercises)
    known = list(importers().values())
    for here in _levels(listing):
        counts = {importer.name: importer.recognise(here) for importer in known}
        found = [importer for importer in known if counts[importer.name] > 0]
        if found:
            found.sort(key=lambda importer: -counts[importer.name])
            return _read(here, [*found, PLAIN], exercises)
    return None


def _levels(listing: Listing) -> list[Listing]:
    """The listing, and those below it as long as there is nothing but one folder."""
    levels = [listing]
    while len(levels) <= MAX_LEVELS:
        here = levels[-1]
        if len(here.folders) != 1 or here.files:
            break
        levels.append(here.below(here.folders[0]))
    return levels


def _as_named(listing: Listing, importer: Importer, exercises: Collection[str]) -> Recognised:
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
    pieces: PIECES = []
    taken: set[str] = set()
    counts: Counter[str] = Counter()
    for importer in found:
        parts = set(exercises) if importer is PLAIN else set()
        mine = [
            piece
            for piece in importer.read(listing)
            if piece.entry not in taken and not named_for(piece.entry, parts)
        ]
        taken.update(piece.entry for piece in mine)
        counts[importer.title] += len({piece.entry for piece in mine})
        pieces += [(importer, piece) for piece in mine]
    also = {name for importer in found for name in importer.also(listing)}
    rest = [e for e in listing.entries if e.name not in taken and e.name not in also]
    pieces.sort(key=lambda each: (each[1].entry, each[1].attempt))
    said = [
        _not_understood(each, pieces if at < MAX_COMPARED else [], found[0], exercises)
        for at, each in enumerate(rest)
    ]
    return Recognised(listing, pieces, _said(pieces, counts), said)


def _said(pieces: PIECES, counts: Counter[str]) -> list[str]:
    """What the download was read as; of a mixed one, which entries are the few."""
    parts = [(title, count) for title, count in counts.most_common() if count]
    if len(parts) == 1:
        return [f"Read as a download of {parts[0][0]}: {several(parts[0][1], 'entry')}."]
    said = "; ".join(
        f"{several(count, 'entry')} of {title}"
        + (f" ({_names(title, pieces)})" if title != parts[0][0] else "")
        for title, count in parts
    )
    return [f"This is a mixed folder: {said}. Each was read as what it is."]


def _names(title: str, pieces: PIECES) -> str:
    names = [one_line(piece.entry, 60) for importer, piece in pieces if importer.title == title]
    return few(names, MAX_SHOWN)


def _not_understood(
    entry: Entry, pieces: PIECES, importer: Importer, exercises: Collection[str]
) -> str:
    """Why an entry is nobody's, and whose of some it is most like."""
    name, is_folder = entry.name, entry.is_folder
    kind = "folder" if is_folder else "file"
    why = f"its name is not one that {importer.title} makes ({importer.expected})"
    if is_folder and named_for(name, exercises):
        why = "it is called after an exercise, not after a student"
    by_entry = {piece.entry: piece.owners[0].key for _, piece in pieces}
    near = nearest(name, by_entry, cutoff=0.5)
    like = f" Most like it is {one_line(by_entry[near], 60)}'s." if near else ""
    return f"{one_line(name, 100)} is nobody's: a {kind}, and {why}.{like}"


def summary(not_understood: Sequence[str]) -> list[str]:
    """All of them, with their number in front."""
    if not not_understood:
        return []
    return [f"{several(len(not_understood), 'entry')} {NOT_UNDERSTOOD}:", *not_understood]


def left_something(notes: Sequence[str]) -> bool:
    """Whether these notes name entries that were not understood."""
    return any(NOT_UNDERSTOOD in note for note in notes)
