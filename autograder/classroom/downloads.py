"""Downloads of a class: entries, platforms, and owners."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path, PurePosixPath

import msgspec

from autograder.course.errors import UserError
from autograder.course.installation import extension, hooks
from autograder.course.text import did_you_mean, few, nearest, one_line, several
from autograder.submission.archive import PathParts
from autograder.submission.file_names import counts, may_be_hidden_work, named_for
from autograder.submission.read import UnreadableFile, as_utf8, entries_of, kind_of, read_bytes
from autograder.submission.source import SUFFIXES

GROUP = "autograder.platforms"  # entry points; each one is an importer or a list of importers
KIT = "autograder."  # beginning of this project's own entry points
MOST_ENTRIES = 200_000
MOST_NAME = 1000  # characters; a name in a zip can be longer than a disk allows
MOST_TEXT = 1024 * 1024  # bytes of a platform's note on a hand-in
MOST_METADATA = 32 * 1024 * 1024  # bytes; Gradescope's file has every test's output
MAX_LEVELS = 5  # the most levels of folders around a download
MAX_SHOWN = 5
MAX_COMPARED = 50  # unknown entries that are compared with known names
YEARS = range(1990, 3000)  # plausible years of a hand-in


class Entry(msgspec.Struct, frozen=True, order=True):
    name: str
    is_folder: bool


class Listing:
    """The entries of a folder, sorted by name.

    For a zip, `packed` maps the path of each entry to the reason why it was not unpacked, or to "".
    So a student who handed in only a PDF is listed too, although PDFs are never unpacked. `hidden`
    has the entries whose names begin with a dot.
    """

    def __init__(
        self, root: Path, packed: Mapping[PathParts, str] | None = None, is_below: bool = False
    ) -> None:
        """List the folder. If `is_below` is true, an unreadable folder counts as empty."""
        self.root = root
        self._packed: dict[str, dict[PathParts, str]] = {}
        for path, reason in (packed or {}).items():
            if len(path[0]) <= MOST_NAME:
                self._packed.setdefault(path[0], {})[path[1:]] = reason
        by_name = {name: Entry(name, any(paths)) for name, paths in self._packed.items()}
        try:
            entries = entries_of(root, MOST_ENTRIES + 1, str(root))
        except UnreadableFile as error:
            if not (is_below or self._packed):
                raise UserError(str(error)) from None
            entries = []
        if len(entries) > MOST_ENTRIES and not is_below:
            raise UserError(
                f"{root} holds over {MOST_ENTRIES:,} entries. Name the folder of one assignment's "
                f"submissions."
            )
        by_name |= {entry.name: Entry(entry.name, entry.kind == "folder") for entry in entries}
        self.hidden = sorted(filter(may_be_hidden_work, by_name))
        self.entries = sorted(entry for entry in by_name.values() if counts(entry.name))
        self.files = [entry.name for entry in self.entries if not entry.is_folder]
        self.folders = [entry.name for entry in self.entries if entry.is_folder]

    def below(self, folder: str) -> "Listing":
        """Return the listing of a subfolder. For an unreadable folder, the listing is empty."""
        packed = {path: reason for path, reason in self._packed.get(folder, {}).items() if path}
        return Listing(self.root / folder, packed, is_below=True)

    def lost(self, entry: str) -> dict[str, str]:
        """Return the files of an entry that were not unpacked, with the reasons."""
        packed = self._packed.get(entry, {})
        return {
            "/".join(path): f"{one_line((entry, *path)[-1], 100)} was left out: {reason}."
            for path, reason in packed.items()
            if reason
        }

    def has(self, folder: str, name: str) -> bool:
        """Return True if a subfolder has an entry with this name. Links do not count."""
        if kind_of(self.root / folder / name) not in {None, "link"}:
            return True
        return any(below[:1] == (name,) for below in self._packed.get(folder, ()))

    def text(self, *parts: str, most: int = MOST_TEXT) -> str:
        """Return a small file's text. If the file is not valid UTF-8, return ""."""
        try:
            data = read_bytes(self.root.joinpath(*parts), most)
            return as_utf8(data, parts[-1]).decode("utf-8", "replace")
        except UnreadableFile:
            return ""


class Owner(msgspec.Struct, frozen=True, kw_only=True):
    """Student with the name, id and e-mail on the platform."""

    key: str  # student's name in the results if there is no roster
    id: str = ""  # student's id on the platform, or an empty text
    name: str = ""
    email: str = ""


class Piece(msgspec.Struct, frozen=True, kw_only=True):
    """Entry of a download, or the part of an entry that belongs to one person."""

    entry: str  # path in the listing
    owners: tuple[Owner, ...]
    name: str = ""  # file's name, or an empty text if the whole folder is the submission
    original: str = ""
    attempt: tuple[int | str, ...] = ()  # gives the order of a person's attempts
    whole: bool = False  # true if the last attempt replaces all files, not only those of its name
    at: datetime | None = None
    late: bool = False


class Importer(msgspec.Struct, frozen=True, kw_only=True):
    """Platform and its functions.

    `recognise` counts the entries that are typical of the platform. `read` returns pieces, and
    skips unknown entries. If an entry's name fits several students, `read` returns a piece for each
    of them, and only a roster can decide between them. `also` returns files of the platform that
    are not submissions. With `starters`, a submission may contain starter files that the student
    did not change.
    """

    name: str
    title: str
    expected: str  # describes the names of entries, for messages
    recognise: Callable[[Listing], int]  # counts the platform's typical entries
    read: Callable[[Listing], Sequence[Piece]]
    also: Callable[[Listing], Sequence[str]] = lambda _: ()
    starters: bool = False


def plain_owner(name: str) -> Owner:
    return Owner(key=name, id=name, name=name)


PLAIN = Importer(
    name="folders",
    title="a folder for each student",
    expected="folders, each named after a student",
    recognise=lambda _: 0,
    read=lambda listing: [
        Piece(entry=name, owners=(plain_owner(name),)) for name in listing.folders
    ],
)


def importers() -> dict[str, Importer]:
    points = hooks(GROUP).values()
    known: dict[str, Importer] = {}
    for point in points:
        if point.value.startswith(KIT):
            try:
                known |= {importer.name: importer for importer in point.load()}
            except ModuleNotFoundError as error:
                if not f"{point.module}.".startswith(f"{error.name}."):
                    raise  # otherwise the extension is not installed
    known[PLAIN.name] = PLAIN
    for point in points:
        if not point.value.startswith(KIT):
            where = f"The entry point {point.name!r} ({point.value})"
            try:
                importer = point.load()
            except Exception as error:  # whatever a site's module raises
                raise UserError(
                    f"{where} cannot be loaded: {type(error).__name__}: {error}. Fix it, or "
                    f"uninstall its package."
                ) from None
            if not isinstance(importer, Importer):
                raise UserError(f"{where} is not an Importer of autograder.classroom.downloads.")
            known[point.name] = importer
    return known


def named(name: str) -> Importer:
    known = importers()
    if name not in known:
        extension(GROUP, "kit", f"--from {name}", extra="platforms")
        meant = did_you_mean(name, known)
        raise UserError(f"No platform is called {name!r}.{meant} Known: {', '.join(known)}.")
    return known[name]


Pieces = list[tuple[Importer, Piece]]


class Download(msgspec.Struct, frozen=True):
    """Download of a known platform: its pieces in order, and notes."""

    listing: Listing
    pieces: Pieces
    notes: list[str]
    not_understood: list[str]  # notes on entries without a known student
    disputed: list[Pieces] = []  # list of pieces for each entry that may belong to several students


def recognise(
    listing: Listing,
    exercises: Collection[str],
    platform: str | None = None,
    students: Collection[str] = (),
) -> Download | None:
    """Read a download of `platform`.

    If the platform is unknown, return None. Without `platform`, the function recognises the
    platform by the entries' names. Folders with a name in `students` are not searched for a
    download.
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
        counted = [(importer.recognise(here), importer) for importer in known]
        likely = [(count, importer) for count, importer in counted if count > 0]
        if likely:
            likely.sort(key=lambda pair: -pair[0])
            return _read(here, [*(importer for _, importer in likely), PLAIN], exercises)
    flat = _flat_files(exercises)
    if not listing.folders and flat.recognise(listing):
        return _read(listing, [flat], exercises)
    return None


def _levels(listing: Listing, students: Collection[str]) -> Iterator[Listing]:
    yield listing
    for _ in range(MAX_LEVELS):
        if len(listing.folders) != 1 or listing.files or listing.folders[0] in students:
            return
        if listing.has(listing.folders[0], ".git"):
            return
        listing = listing.below(listing.folders[0])
        yield listing


def _flat_files(exercises: Collection[str]) -> Importer:
    """Return the importer for files that people saved from e-mails, such as `alogin_softmax.py`.

    A login and an exercise may contain underscores, so a file's name may fit several students.
    """

    def named_pieces(listing: Listing) -> list[Piece]:
        pieces = []
        for path in map(PurePosixPath, listing.files):
            for exercise in exercises if path.suffix.casefold() in SUFFIXES else ():
                login = path.stem.removesuffix(f"_{exercise}")
                if login and login != path.stem:
                    owners, name = (plain_owner(login),), f"{exercise}{path.suffix}"
                    pieces.append(Piece(entry=path.name, owners=owners, name=name, original=name))
        return pieces

    def count(listing: Listing) -> int:
        is_one_student = any(PurePosixPath(name).stem in exercises for name in listing.files)
        return 0 if is_one_student else len(named_pieces(listing))

    def read(listing: Listing) -> list[Piece]:
        paths = map(PurePosixPath, listing.files)
        zips = [path for path in paths if path.suffix.casefold() == ".zip"]
        return named_pieces(listing) + [
            Piece(entry=zip.name, owners=(plain_owner(zip.stem),), name=zip.name) for zip in zips
        ]

    expected = f"files such as alogin_{next(iter(exercises), 'NAME')}.py"
    title = "a file for each student and exercise"
    return Importer(name=PLAIN.name, title=title, expected=expected, recognise=count, read=read)


def _read(listing: Listing, known: Sequence[Importer], exercises: Collection[str]) -> Download:
    """Read each folder with the first importer that knows it, and each file with all importers."""
    readings: dict[str, Pieces] = {}
    folders = set(listing.folders)
    for importer in known:
        skipped = set(exercises) if importer is PLAIN else set()
        before = folders & readings.keys()
        for piece in importer.read(listing):
            if piece.entry not in before and not named_for(piece.entry, skipped):
                readings.setdefault(piece.entry, []).append((importer, piece))
    certain, disputed = [], []
    for pieces in readings.values():
        if len({tuple(owner.key for owner in piece.owners) for _, piece in pieces}) > 1:
            disputed.append(pieces)
        else:
            certain.append(pieces[0])
    pieces, of_one_key = _without_shared_keys(certain)
    pieces.sort(key=lambda pair: (pair[1].entry, pair[1].attempt))
    taken = {*readings, *(name for importer in known for name in importer.also(listing))}
    rest = [entry for entry in listing.entries if entry.name not in taken]
    open_notes = _not_understood(rest, pieces, known[0], exercises)
    open_notes += hidden_entries(listing.hidden)
    return Download(listing, pieces, [_origin(pieces, known)], open_notes, [*disputed, *of_one_key])


def _without_shared_keys(pieces: Pieces) -> tuple[Pieces, list[Pieces]]:
    """Separate the pieces whose key belongs to one person from those whose key is shared."""
    people: dict[tuple[str, str], set[Owner]] = {}
    for importer, piece in pieces:
        for owner in piece.owners:
            people.setdefault((importer.name, owner.key), set()).add(owner)
    shared: set[Owner] = set()
    for owners in people.values():
        details = zip(*((owner.id, owner.name, owner.email) for owner in owners), strict=True)
        if any(len({*values} - {""}) > 1 for values in details):
            shared |= owners
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
    """Return notes on entries with several possible students."""
    if not disputed:
        return []
    count = several(len(disputed), "entry")
    notes = [f"{count} not graded, since each may belong to several students:"]
    for readings in disputed:
        owners = dict.fromkeys(owner for _, piece in readings for owner in piece.owners)
        names = [f"{one_line(owner.key, 60)}'s" for owner in owners]
        if len(set(names)) < len(names):
            names = [f"{one_line(o.name or o.email, 60)}'s ({one_line(o.key, 60)})" for o in owners]
        notes.append(
            f"{one_line(readings[0][1].entry, 100)} may be {' or '.join(names[:MAX_SHOWN])}."
        )
    return [
        *notes,
        "Enter each student's name on the platform in the platform's column of the roster, or "
        "name the platform with --from.",
    ]


def _origin(pieces: Pieces, known: Sequence[Importer]) -> str:
    entries: dict[str, dict[str, None]] = {importer.title: {} for importer in known}
    for importer, piece in pieces:
        entries[importer.title][piece.entry] = None
    (title, most), *others = sorted(entries.items(), key=lambda item: -len(item[1]))
    others = [(other, names) for other, names in others if names]
    if not others:
        return f"Read as a download of {title}: {several(len(most), 'entry')}."
    parts = [f"{several(len(most), 'entry')} of {title}"]
    for other, names in others:
        shown = few([one_line(name, 60) for name in names], MAX_SHOWN)
        parts.append(f"{several(len(names), 'entry')} of {other} ({shown})")
    return (
        f"The submissions are mixed: {'; '.join(parts)}. Each was read in the form of its platform."
    )


def hidden_entries(names: Sequence[str]) -> list[str]:
    """Return a note on entries that begin with a dot, if there are any."""
    if not names:
        return []
    shown = few([one_line(name, 60) for name in names], MAX_SHOWN)
    return [
        f"{several(len(names), 'hidden entry')} not graded, since the names begin with a dot: "
        f"{shown}. If a student handed in one of them, rename it and grade again."
    ]


def _not_understood(
    entries: Sequence[Entry], pieces: Pieces, importer: Importer, exercises: Collection[str]
) -> list[str]:
    """Return notes on entries without a known student, with the reason and a similar name."""
    if not entries:
        return []
    notes = [f"{several(len(entries), 'entry')} not graded, since the student is unknown:"]
    owners = {piece.entry: piece.owners[0].key for _, piece in pieces}
    for at, entry in enumerate(entries):
        why = f"expected {importer.expected}"
        if entry.is_folder and named_for(entry.name, exercises):
            why = "its name is that of an exercise, not of a student"
        near = nearest(entry.name, owners, cutoff=0.5) if at < MAX_COMPARED else ""
        like = f" The name is most similar to {one_line(owners[near], 60)}'s." if near else ""
        kind = "folder" if entry.is_folder else "file"
        notes.append(f"The {kind} {one_line(entry.name, 100)} belongs to no student: {why}.{like}")
    return notes
