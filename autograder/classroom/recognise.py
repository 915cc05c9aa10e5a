"""Recognition of a download: the platform that it comes from, and the meaning of its entries."""

import operator
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from pathlib import PurePosixPath

import msgspec

from autograder.classroom.downloads import (
    PLAIN,
    Entry,
    Importer,
    Listing,
    Owner,
    Piece,
    plain_owner,
)
from autograder.course.errors import UserError
from autograder.course.installation import extension, hooks
from autograder.course.text import few, nearest, one_line, several
from autograder.submission.file_names import named_for
from autograder.submission.source import SUFFIXES

GROUP = "autograder.platforms"  # entry points; each one is an importer or a list of importers
KIT = "autograder."  # prefix of this project's own entry points
MAX_LEVELS = 5  # the most levels of folders around a download
MAX_SHOWN = 5
MAX_COMPARED = 50  # unknown entries that are compared with known names

Pieces = list[tuple[Importer, Piece]]
_DETAILS = (operator.attrgetter("id"), operator.attrgetter("name"), operator.attrgetter("email"))


class Recognised(msgspec.Struct, frozen=True):
    """A download that was recognised: its pieces in order, and notes.

    `disputed` are entries that may belong to several students; each has several readings.
    `not_understood` are notes on entries whose student is not known; the first note counts them.
    """

    listing: Listing
    pieces: Pieces
    notes: list[str]
    not_understood: list[str]
    disputed: list[Pieces] = []


def importers() -> dict[str, Importer]:
    """Return a dict from the names of all importers to the importers.

    An importer that a site installed replaces one of the same name.

    Raises:
        UserError: an importer of the site cannot be loaded, or has another type.
    """
    points = hooks(GROUP).values()
    kits = [point for point in points if point.value.startswith(KIT)]
    known: dict[str, Importer] = {}
    for point in kits:
        try:
            known |= {importer.name: importer for importer in point.load()}
        except ModuleNotFoundError as error:
            if not f"{point.module}.".startswith(f"{error.name}."):
                raise  # otherwise the extension is not installed
    known[PLAIN.name] = PLAIN
    for point in points:
        if point.value.startswith(KIT):
            continue
        try:
            importer = point.load()
        except Exception as error:  # whatever a site's module raises
            raise UserError(
                f"The importer {point.name!r} ({point.value}) cannot be loaded: "
                f"{type(error).__name__}: {error}. Fix it, or uninstall its package."
            ) from None
        if not isinstance(importer, Importer):
            raise UserError(
                f"The entry point {point.name!r} ({point.value}) is not an Importer. It must name "
                f"an autograder.classroom.downloads.Importer."
            )
        known[point.name] = importer
    return known


def named(name: str) -> Importer:
    """Return the importer of that name.

    Raises:
        UserError: there is no such importer; the message lists the known names.
    """
    known = importers()
    if name not in known:
        extension(GROUP, "kit", f"--from {name}", extra="platforms")
        near = nearest(name, known)
        meant = f" Did you mean {near}?" if near else ""
        raise UserError(f"No platform is called {name!r}.{meant} Known: {', '.join(known)}.")
    return known[name]


def recognise(
    listing: Listing,
    exercises: Collection[str],
    platform: str | None = None,
    students: Collection[str] = (),
) -> Recognised | None:
    """Read a download of `platform`. If that is None, entries' names show the platform.

    A folder whose name is in `students`, the ids of the roster, is not searched for a download.
    Return None if no platform was named or recognised. Then each folder belongs to a student.

    Raises:
        UserError: the named platform is not known, or the folder has no entries of that platform.
    """
    if platform is not None:
        importer = named(platform)
        for here in _levels(listing, students):
            around = len(here.folders) == 1 and not here.files
            if around and importer is not PLAIN and not importer.recognise(here):
                continue  # the download may be further down
            if importer.read(here):
                return _read(here, [importer], exercises)
        raise UserError(
            f"{listing.root} holds no submission in the form of {importer.title}. Expected "
            f"{importer.expected}. Without --from, grade recognises the form itself."
        )
    known = importers().values()
    for here in _levels(listing, students):
        counts = {importer.name: importer.recognise(here) for importer in known}
        found = [importer for importer in known if counts[importer.name] > 0]
        if found:
            found.sort(key=lambda importer: -counts[importer.name])
            return _read(here, [*found, PLAIN], exercises)
    flat = flat_files(exercises)
    if not listing.folders and flat.recognise(listing):
        return _read(listing, [flat], exercises)
    return None


def flat_files(exercises: Collection[str]) -> Importer:
    """Return the importer for files such as `alogin_softmax.py`, which people saved from e-mails.

    A zip among these files is named after its student, and has all files of that student.
    """

    def named(listing: Listing) -> list[Piece]:
        return [piece for name in listing.files for piece in _flat_readings(name, exercises)]

    def read(listing: Listing) -> Sequence[Piece]:
        zips = (PurePosixPath(name) for name in listing.files)
        return named(listing) + [
            Piece(entry=zip.name, owners=(plain_owner(zip.stem),), name=zip.name)
            for zip in zips
            if zip.suffix.casefold() == ".zip"
        ]

    return Importer(
        name=PLAIN.name,
        title="a file for each student and exercise",
        expected=f"files such as alogin_{next(iter(exercises), 'NAME')}.py",
        recognise=lambda listing: (
            0
            if any(PurePosixPath(name).stem in exercises for name in listing.files)
            else len(named(listing))
        ),
        read=read,
    )


def _flat_readings(entry: str, exercises: Collection[str]) -> list[Piece]:
    """Return all ways to split a name into login and exercise. Both may contain underscores."""
    path = PurePosixPath(entry)
    if path.suffix.casefold() not in SUFFIXES:
        return []
    readings = []
    for exercise in exercises:
        login = path.stem.removesuffix(f"_{exercise}")
        if login and login != path.stem:
            name = f"{exercise}{path.suffix}"
            owners = (plain_owner(login),)
            readings.append(Piece(entry=entry, owners=owners, name=name, original=name))
    return readings


def _levels(listing: Listing, students: Collection[str]) -> list[Listing]:
    """Return the listing. While the last level has only one folder, add that folder's listing.

    Stop at a folder that is named after one of the `students`, and at a repository, because such a
    folder belongs to one student.
    """
    levels = [listing]
    while len(levels) <= MAX_LEVELS:
        here = levels[-1]
        if len(here.folders) != 1 or here.files or here.folders[0] in students:
            break
        if here.has(here.folders[0], ".git"):
            break
        levels.append(here.below(here.folders[0]))
    return levels


def _read(listing: Listing, found: Sequence[Importer], exercises: Collection[str]) -> Recognised:
    """Read a folder with the first importer that understands it. Read a file with all importers."""
    readings: dict[str, Pieces] = {}
    folders = set(listing.folders)
    for importer in found:
        skipped = set(exercises) if importer is PLAIN else set()
        before = folders & readings.keys()
        for piece in importer.read(listing):
            if piece.entry not in before and not named_for(piece.entry, skipped):
                readings.setdefault(piece.entry, []).append((importer, piece))
    single, disputed = _single_and_disputed(readings.values())
    pieces, of_one_key = _without_shared_keys(single)
    pieces.sort(key=lambda pair: (pair[1].entry, pair[1].attempt))
    taken = {*readings, *(name for importer in found for name in importer.also(listing))}
    rest = [entry for entry in listing.entries if entry.name not in taken]
    unclear = [
        _not_understood(entry, pieces if at < MAX_COMPARED else [], found[0], exercises)
        for at, entry in enumerate(rest)
    ]
    if unclear:
        unclear.insert(
            0, f"{several(len(rest), 'entry')} not graded, since the student is unknown:"
        )
    unclear += hidden_entries(listing.hidden)
    notes = [_origin(pieces, found)]
    return Recognised(listing, pieces, notes, unclear, [*disputed, *of_one_key])


def _single_and_disputed(entries: Iterable[Pieces]) -> tuple[Pieces, list[Pieces]]:
    """Separate entries of a known student from entries that may mean different students."""
    single, disputed = [], []
    for readings in entries:
        if len({tuple(owner.key for owner in piece.owners) for _, piece in readings}) > 1:
            disputed.append(readings)
        else:
            single.append(readings[0])
    return single, disputed


def _without_shared_keys(pieces: Pieces) -> tuple[Pieces, list[Pieces]]:
    """Separate pieces by their owner's key: one person has the key, or several people share it."""
    people: dict[tuple[str, str], set[Owner]] = {}
    for importer, piece in pieces:
        for owner in piece.owners:
            people.setdefault((importer.name, owner.key), set()).add(owner)
    shared = {
        owner
        for owners in people.values()
        if any(len({value(owner) for owner in owners} - {""}) > 1 for value in _DETAILS)
        for owner in owners
    }
    clear, disputed = [], []
    for importer, piece in pieces:
        own = tuple(owner for owner in piece.owners if owner not in shared)
        if own:
            clear.append((importer, msgspec.structs.replace(piece, owners=own)))
        for key in dict.fromkeys(owner.key for owner in piece.owners if owner in shared):
            others = sorted(people[importer.name, key], key=lambda o: (o.name, o.email, o.id))
            readings = [msgspec.structs.replace(piece, owners=(owner,)) for owner in others]
            disputed.append([(importer, reading) for reading in readings])
    return clear, disputed


def disputes(disputed: Sequence[Pieces]) -> list[str]:
    """Return notes on entries that may belong to several students; the first note counts them."""
    notes = []
    for readings in disputed:
        owners = dict.fromkeys(owner for _, piece in readings for owner in piece.owners)
        names = [f"{one_line(owner.key, 60)}'s" for owner in owners]
        if len(set(names)) < len(names):
            names = [f"{one_line(o.name or o.email, 60)}'s ({one_line(o.key, 60)})" for o in owners]
        notes.append(
            f"{one_line(readings[0][1].entry, 100)} may be {' or '.join(names[:MAX_SHOWN])}."
        )
    if notes:
        count = several(len(notes), "entry")
        notes.insert(0, f"{count} not graded, since each may belong to several students:")
        notes.append(
            "Enter each student's name on the platform in the platform's column of the roster, or "
            "name the platform with --from."
        )
    return notes


def _origin(pieces: Pieces, found: Sequence[Importer]) -> str:
    """Return a note on a download's platform. If there are several, the note names entries."""
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
    return f"The submissions are mixed: {'; '.join(parts)}. Each was read in its own form."


def hidden_entries(names: Sequence[str]) -> list[str]:
    """Return a note on entries whose names begin with a dot; no note without such entries."""
    if not names:
        return []
    shown = few([one_line(name, 60) for name in names], MAX_SHOWN)
    return [
        f"{several(len(names), 'hidden entry')} not graded, since the names begin with a dot: "
        f"{shown}. If a student handed in one of them, rename it and grade again."
    ]


def _not_understood(
    entry: Entry, pieces: Pieces, importer: Importer, exercises: Collection[str]
) -> str:
    """Return a note on an entry whose student is not known, with the reason and a similar name."""
    name, is_folder = entry.name, entry.is_folder
    kind = "folder" if is_folder else "file"
    why = f"expected {importer.expected}"
    if is_folder and named_for(name, exercises):
        why = "its name is that of an exercise, not of a student"
    by_entry = {piece.entry: piece.owners[0].key for _, piece in pieces}
    near = nearest(name, by_entry, cutoff=0.5)
    like = f" The name is most similar to {one_line(by_entry[near], 60)}'s." if near else ""
    return f"The {kind} {one_line(name, 100)} belongs to no student: {why}.{like}"
