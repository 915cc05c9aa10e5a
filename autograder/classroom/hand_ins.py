"""Hand-ins of a class, from a folder or a download. Each student gets one folder."""

from collections.abc import Collection, Mapping, Sequence
from datetime import timedelta
from pathlib import Path, PurePosixPath
from typing import NamedTuple

import msgspec

from autograder.classroom.downloads import (
    PLAIN,
    YEARS,
    Download,
    Importer,
    Listing,
    Owner,
    Piece,
    Pieces,
    disputes,
    hidden_entries,
    plain_owner,
    recognise,
)
from autograder.classroom.roster import Roster
from autograder.course.errors import UserError
from autograder.course.text import few, identity, join_names, one_line, printable
from autograder.report.model import HandIn
from autograder.submission.archive import MAX_STUDENT, UNPACKED, PathParts
from autograder.submission.file_names import counts, named_for
from autograder.submission.read import (
    UnreadableFile,
    entries_of,
    kind_of,
    put,
    put_folder,
    put_name,
)
from autograder.submission.source import SUFFIXES
from autograder.submission.walk import MAX_DEPTH, MAX_FILES

MAX_LEVELS = 20  # the most levels of folders around the students' folders
MAX_NAME = 255  # bytes of a file's name
MAX_SHOWN = 5
SEVERAL = 3  # this many folders with work for one exercise belong to several students
WHOSE = (
    "Nothing was graded: one submission may belong to this student or to somebody else. A person "
    "must say whose it is."
)


class Folder(msgspec.Struct, frozen=True):
    """A student's folder before its files are read."""

    student: str
    path: Path | None  # None if the student handed in nothing
    hand_in: HandIn | None = None  # details from the platform or the roster
    notes: tuple[str, ...] = ()
    unclear: str = ""  # reason why a person must first decide whose work this is
    subfolders: tuple[str, ...] = ()  # folders that may belong to several students
    lost: Mapping[str, str] = {}  # dict from the path of a missing file to the reason
    unread: Sequence[str] = ()  # messages on unreadable folders
    starters: bool = False  # true if an unchanged file counts as missing


def find_folders(
    root: Path,
    exercises: Collection[str],
    known: Collection[str] = (),
    packed: Mapping[PathParts, str] | None = None,
) -> tuple[list[Folder], list[str]]:
    """Return the students' folders below `root` in order, and notes on other entries.

    A folder with an id in `known` as its name belongs to one student. For a zip, `packed` maps
    paths to the reasons why files are missing.
    """
    listing, notes = Listing(root, packed), []
    for _ in range(MAX_LEVELS):
        below = listing.below(listing.folders[0]) if len(listing.folders) == 1 else None
        if below is None or below.root.name in known or not _holds_students(below, exercises):
            break
        notes.append(
            f"{one_line(listing.folders[0], 100)} was read as the folder of the whole class, since "
            f"it is the only one and holds only folders."
        )
        listing = below
    zips = _zips(listing)
    if not listing.folders and not zips:
        if any(Path(name).stem in exercises for name in listing.files):
            raise UserError(
                f"{listing.root} looks like the folder of one student. To grade a class, name the "
                f"folder above it. To check your own work, run `autograder check "
                f"{listing.root}/NAME.py`."
            )
        raise UserError(
            f"{listing.root} holds no folders. Expected one folder for each student, "
            f"with files such as {next(iter(exercises), 'NAME')}.py in it."
        )
    students = {}
    for name in listing.folders:
        folder = Folder(identity(name), listing.root / name, lost=listing.lost(name))
        students[folder.student] = _if_one_students(folder, exercises)
    for name in zips:  # named after a student
        student = identity(Path(name).stem)
        if student in students:
            student = identity(name)
        lost = " ".join(listing.lost(name).values())
        students[student] = Folder(student, None if lost else listing.root / name, unclear=lost)
    others = sorted(set(listing.files) - set(zips))
    notes += [f"{one_line(name, 100)} was left out: it is not a folder." for name in others]
    notes += hidden_entries(listing.hidden)
    return sorted(students.values(), key=lambda folder: str(folder.path)), notes


def _zips(listing: Listing) -> list[str]:
    names = (name for name in listing.files if name.casefold().endswith(".zip"))
    return [name for name in names if kind_of(listing.root / name) in {"file", None}]


def _holds_students(listing: Listing, exercises: Collection[str]) -> bool:
    entries, zips = listing.entries, _zips(listing)
    if not entries or len(listing.folders) + len(zips) < len(entries):
        return False
    parts = any(named_for(Path(entry.name).stem, exercises) for entry in entries)
    return not parts and (not zips or len(entries) > 1)


def _if_one_students(folder: Folder, exercises: Collection[str]) -> Folder:
    """Return the folder, with `unclear` set if it seems to belong to several students."""
    if folder.path is None:
        return folder
    listing = Listing(folder.path, is_below=True)
    if not _holds_students(listing, exercises):
        return folder
    for exercise in exercises:
        files = [f"{exercise}{suffix}" for suffix in SUFFIXES]
        holders = [
            name
            for name in listing.folders
            if any(kind_of(folder.path / name / file) == "file" for file in files)
        ]
        if len(holders) >= SEVERAL:
            unclear = may_hold(few([one_line(name, 60) for name in holders], MAX_SHOWN))
            return msgspec.structs.replace(folder, unclear=unclear, subfolders=tuple(holders))
    return folder


def may_hold(folders: str) -> str:
    """Return the reason why a folder with these subfolders needs a person."""
    return (
        f"This folder may belong to one student, or hold the folders of several: {folders}. If "
        f"they are several students, move their folders one level up."
    )


class _Member(NamedTuple):
    """Student to whom a hand-in belongs."""

    place: int
    student: str
    roster: HandIn  # the details from the roster
    in_team: bool = False


def hand_ins(
    root: Path,
    exercises: Collection[str],
    roster: Roster | None,
    scratch: Path,
    packed: Mapping[PathParts, str] | None = None,
    platform: str | None = None,
) -> tuple[list[Folder], list[str], bool]:
    """Find the hand-ins of a class.

    Return the folders sorted by student, notes, and True if some entries have no known student.
    Files that a platform has renamed are copied to the folder `scratch`, which must exist until the
    hand-ins are read. With a roster, the result includes students without a hand-in.
    """
    known = {student.id for student in roster.students} if roster is not None else set()
    download = recognise(Listing(root, packed), exercises, platform, known)
    own: list[Folder] = []
    found: list[Share] = []
    disputed: list[Pieces] = []
    open_notes: list[str] = []
    if download is None:
        own, notes = find_folders(root, exercises, known=known, packed=packed)
        if roster is None:
            return own, notes, False
        people = [(PLAIN.name, plain_owner(folder.student)) for folder in own]
    else:
        pieces, disputed = _settled(download, roster)
        notes, open_notes = download.notes, [*download.not_understood, *disputes(disputed)]
        found = shares(pieces, exercises)
        people = [(share.importer.name, share.person) for share in found]
    folders: list[Folder] = []
    absent: list[Folder] = []
    if roster is None:
        members = [_Member(at, identity(who.key), HandIn()) for at, (_, who) in enumerate(people)]
    else:
        members, absent, more, unclear = _enrolled(people, disputed, roster)
        notes, open_notes = [*notes, *more], [*open_notes, *unclear]
    for number, member in enumerate(members):
        if download is None:
            folder = msgspec.structs.replace(own[member.place], hand_in=member.roster)
            if member.roster.enrolled:
                folder = msgspec.structs.replace(folder, student=member.student)
        else:
            share = found[member.place]
            folder = _folder(share, download.listing, member, scratch / str(number))
            folder = _if_one_students(folder, exercises) if share.importer is PLAIN else folder
        if folder.subfolders and member.roster.enrolled:  # the folder of one student
            folder = msgspec.structs.replace(folder, unclear="", subfolders=())
        folders.append(folder)
    folders, of_one_id = _apart([*folders, *absent])
    open_notes += of_one_id
    return folders, [*notes, *open_notes], bool(open_notes)


def _settled(download: Download, roster: Roster | None) -> tuple[Pieces, list[Pieces]]:
    pieces, disputed = list(download.pieces), []
    for readings in download.disputed:
        owners = [(importer.name, piece.owners[0]) for importer, piece in readings]
        which = roster.settle(owners) if roster is not None else None
        if which is None:
            disputed.append(readings)
        else:
            pieces.append(readings[which])
    return pieces, disputed


def _enrolled(
    people: Sequence[tuple[str, Owner]], disputed: Sequence[Pieces], roster: Roster
) -> tuple[list[_Member], list[Folder], list[str], list[str]]:
    """Match people with the roster. Return members, students without a hand-in, and notes."""
    members: list[_Member] = []
    strangers: list[Owner] = []
    matches = roster.match(people)
    for at, ((_, person), match) in enumerate(zip(people, matches, strict=True)):
        in_team = roster.is_team(person.name or person.key)
        for student in match.ids:
            members.append(_Member(at, identity(student), roster.known(student), in_team))
        if not match.ids and not match.unclear:
            members.append(_Member(at, identity(person.key), HandIn(enrolled=False)))
            strangers.append(person)
    readings = [(importer.name, piece.owners[0]) for each in disputed for importer, piece in each]
    unsure = {
        student
        for match in [*matches, *roster.match(readings)]
        for student in (*match.may_be, *match.ids)
    }
    folders, missing = [], []
    for student in roster.missing(id for match in matches for id in match.ids):
        unclear = WHOSE if student in unsure else ""
        folders.append(Folder(identity(student), None, roster.known(student), unclear=unclear))
        missing += [] if unclear else [student]
    return members, folders, roster.notes(missing, strangers), roster.unclear(matches)


class Share(msgspec.Struct):
    """Pieces of one person that count, oldest first."""

    person: Owner
    importer: Importer
    pieces: list[Piece]
    notes: list[str] = []


def shares(pieces: Pieces, exercises: Collection[str]) -> list[Share]:
    """Return each person's share, sorted by key. All members of a team have the same share."""
    by_person: dict[tuple[str, str], Share] = {}
    for importer, piece in pieces:
        for owner in piece.owners:
            key = owner.key, importer.name
            by_person.setdefault(key, Share(owner, importer, [])).pieces.append(piece)
    for share in by_person.values():
        _leave_out_older(share, exercises)
    return [by_person[key] for key in sorted(by_person)]


def _leave_out_older(share: Share, exercises: Collection[str]) -> None:
    pieces = sorted(share.pieces, key=lambda piece: (piece.attempt, piece.entry))
    if any(piece.whole for piece in pieces):
        share.pieces = [piece for piece in pieces if piece.attempt == pieces[-1].attempt]
        count = len({piece.attempt for piece in pieces}) - 1
        if count:
            which = "An earlier attempt was" if count == 1 else f"{count} earlier attempts were"
            share.notes.append(f"{which} left out: only the last one counts.")
        return
    share.pieces = []
    for piece in pieces:
        later = [other for other in pieces if _replaces(other, piece, pieces, exercises)]
        if later:
            name, newest = one_line(piece.name, 60), one_line(later[-1].name, 60)
            later_file = "the same file" if name == newest else newest
            share.notes.append(f"{name} was left out: {later_file} was handed in later.")
        else:
            share.pieces.append(piece)


def _replaces(
    other: Piece, piece: Piece, pieces: Sequence[Piece], exercises: Collection[str]
) -> bool:
    """Return True if an attempt number shows that one file replaces another.

    Students may put numbers into names too. So a number counts as an attempt only directly after an
    exercise's name, or if there is a file with the same name without the number.
    """
    if not piece.name or other.original.casefold() != piece.original.casefold():
        return False
    attempts = zip(piece.attempt, other.attempt, strict=True)
    if other.attempt == piece.attempt or not all(b >= a for a, b in attempts):  # type: ignore[operator]
        return False
    original = PurePosixPath(piece.original)
    if other.name == piece.name or original.stem in exercises:
        return True
    is_packed = original.suffix.casefold() == ".zip"
    return is_packed and any(each.name == each.original == piece.original for each in pieces)


def _folder(share: Share, listing: Listing, member: _Member, place: Path) -> Folder:
    """Return the folder with one student's files. It may be a folder of the download."""
    person, pieces, roster = share.person, share.pieces, member.roster
    late = any(piece.late for piece in pieces)
    at, note = (roster.at, "") if roster.at else _time_of(pieces)
    hand_in = msgspec.structs.replace(
        roster,
        platform=share.importer.name,
        platform_id="" if member.in_team else printable(person.id),
        name=roster.name or one_line(person.name, 120),
        email=roster.email or one_line(person.email, 120),
        entries=tuple(one_line(piece.entry, 300) for piece in pieces),
        at=at,
        at_from=roster.at_from or (share.importer.title if at or late else ""),
        late=late,
    )
    notes = tuple(filter(None, [*_notes_on(share, member.in_team), note]))
    folder = Folder(member.student, place, hand_in, notes, starters=share.importer.starters)
    own = listing.root / pieces[0].entry
    if len(pieces) == 1 and not pieces[0].name and kind_of(own) == "folder":
        return msgspec.structs.replace(folder, path=own, lost=listing.lost(pieces[0].entry))
    stage = _Stage(place)
    for piece in pieces:
        stage.add(piece, listing)
    return msgspec.structs.replace(folder, lost=stage.lost, unread=stage.unread)


def _time_of(pieces: Sequence[Piece]) -> tuple[str, str]:
    """Return the latest stated time. If all stated times are impossible, add a note."""
    given = [piece.at for piece in pieces if piece.at is not None]
    times = [at for at in given if at.year in YEARS]  # all have a time zone, or none has
    if times:
        last = max(times, key=lambda at: at.replace(tzinfo=None) - (at.utcoffset() or timedelta()))
        return last.isoformat(), ""
    if not given:
        return "", ""
    return "", (
        f"The download says that this was handed in on {given[0].isoformat()}, which is not "
        f"possible. Enter the time in the roster's column handed_in."
    )


def _notes_on(share: Share, in_team: bool) -> list[str]:
    person, notes = share.person, list(share.notes)
    if in_team:
        notes.append(f"Handed in by a team: {one_line(person.name or person.key, 60)}.")
    owners = dict.fromkeys(owner for piece in share.pieces for owner in piece.owners)
    others = [one_line(o.name or o.key, 60) for o in owners if o.key != person.key]
    if others:
        notes.append(f"Handed in together with {few(others, MAX_SHOWN)}.")
    return notes


class _Stage:
    """Folder with links or copies of a share's files, under the files' original names.

    An empty file of the same name replaces a file that cannot be graded. Links stay links, and are
    never followed.
    """

    def __init__(self, path: Path) -> None:
        path.mkdir(parents=True)
        self.path = path
        self.lost: dict[str, str] = {}
        self.unread: list[str] = []
        self._left = MAX_FILES + 1

    def add(self, piece: Piece, listing: Listing) -> None:
        source, lost = listing.root / piece.entry, listing.lost(piece.entry)
        if piece.name:
            name = piece.name
            bad = name in {".", ".."} or any(sign in name for sign in "/\\\0")
            if bad or len(name.encode("utf-8", "surrogateescape")) > MAX_NAME:
                name = one_line(piece.entry, 100).replace("/", "_")
            self._put(source, PurePosixPath(name), lost.get("", ""))
        else:
            self.lost |= lost
            if kind_of(source) == "folder":
                self._put_tree(source)
            elif not lost:
                self.unread.append(f"{one_line(piece.entry, 100)} cannot be read as a folder.")

    def _put(self, source: Path, path: PurePosixPath, lost: str = "") -> None:
        kind = kind_of(source)
        try:
            if kind is None and lost:
                raise UnreadableFile(lost)
            if kind != "link" and path.suffix.casefold() not in UNPACKED:
                put_name(self.path / path)
            else:
                put(source, self.path / path, MAX_STUDENT)
            self.lost.pop(str(path), None)
        except UnreadableFile as error:
            self.lost[str(path)] = str(error)

    def _put_tree(self, source: Path) -> None:
        """Copy the files of a folder, within the limits on their number and size."""
        waiting = [PurePosixPath()]
        for below in waiting:
            try:
                shown = one_line(str(PurePosixPath(source.name) / below), 100)
                entries = entries_of(source / below, MAX_FILES + 1, shown)
                put_folder(self.path / below)
            except UnreadableFile as error:
                self.unread.append(str(error))
                continue
            for entry in entries:
                if not counts(entry.name):
                    continue
                if entry.kind != "folder" and self._left > 0:
                    self._put(source / below / entry.name, below / entry.name)
                    self._left -= 1
                elif entry.kind == "folder" and len(below.parts) < MAX_DEPTH:
                    waiting.append(below / entry.name)


def _apart(folders: list[Folder]) -> tuple[list[Folder], list[str]]:
    by_student: dict[str, list[Folder]] = {}
    for folder in sorted(folders, key=lambda folder: folder.student):
        by_student.setdefault(folder.student, []).append(folder)
    apart, notes = [], []
    for student, same in by_student.items():
        if len(same) == 1:
            apart += same
            continue
        details = [folder.hand_in or HandIn() for folder in same]
        platforms = join_names([hand_in.platform for hand_in in details])
        notes.append(
            f"{student} is the name of {len(same)} submissions, from {platforms}. None of them was "
            f"graded. Grade each platform by itself, with --from."
        )
        agreed = {
            name: value
            for name, value in msgspec.structs.asdict(details[0]).items()
            if all(getattr(hand_in, name) == value for hand_in in details)
        }
        agreed["entries"] = tuple(entry for hand_in in details for entry in hand_in.entries)
        apart.append(Folder(student, None, HandIn(**agreed), unclear=WHOSE))
    return apart, notes
