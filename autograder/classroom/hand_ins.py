"""Search for the hand-ins of a class, at any level of a download; each student has one folder."""

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import timedelta
from functools import partial
from pathlib import Path

import msgspec

from autograder.classroom.downloads import PLAIN, YEARS, Listing, Owner, Piece, plain_owner
from autograder.classroom.recognise import (
    Pieces,
    Recognised,
    disputes,
    hidden_entries,
    recognise,
)
from autograder.classroom.roster import Match, Roster
from autograder.classroom.shares import Share, shares, staged
from autograder.course.errors import UserError
from autograder.course.text import few, identity, join_names, one_line, printable
from autograder.report.model import HandIn
from autograder.submission.archive import PathParts
from autograder.submission.file_names import named_for
from autograder.submission.read import kind_of
from autograder.submission.source import SUFFIXES

MAX_LEVELS = 20  # the most levels of folders around the students' folders
MAX_SHOWN = 5
SEVERAL = 3  # this many folders with work for one exercise belong to several students
WHOSE = (
    "Nothing was graded: one submission may belong to this student or to somebody else. A person "
    "must say whose it is."
)


class Folder(msgspec.Struct, frozen=True):
    """A student's folder, whose files have not been read yet.

    `path` is None if the student handed in nothing. `hand_in` has details from the platform or the
    roster. `unclear` says why a person must first decide whose work this is. `subfolders` is set if
    the folder may hold the work of several students. `lost` are files that are not in the folder,
    `unread` are folders that cannot be read; both are dicts from a path to the reason. If
    `starters` is true, a file that the student did not change counts as missing.
    """

    student: str
    path: Path | None
    hand_in: HandIn | None = None
    notes: tuple[str, ...] = ()
    unclear: str = ""
    subfolders: tuple[str, ...] = ()
    lost: Mapping[str, str] = {}
    unread: Sequence[str] = ()
    starters: bool = False


def find_folders(
    root: Path,
    exercises: Collection[str],
    known: Collection[str] = (),
    packed: Mapping[PathParts, str] | None = None,
) -> tuple[list[Folder], list[str]]:
    """Find the students' folders below `root`. Return them sorted, and notes on other entries.

    A folder whose name is in `known`, the ids of the roster, belongs to one student. `packed` has
    the paths in the zip of `root`, with the reason why a file is missing.

    Raises:
        UserError: `root` has no folders of students.
    """
    listing, notes = Listing(root, packed), []
    for _ in range(MAX_LEVELS):
        below = listing.below(listing.folders[0]) if len(listing.folders) == 1 else None
        if below is None or not _is_around_students(below, exercises, known):
            break
        notes.append(
            f"{one_line(listing.folders[0], 100)} was read as the folder of the whole class, since "
            f"it is the only one and holds only folders."
        )
        listing = below
    zips = _zips(listing)
    if not listing.folders and not zips:
        raise _no_students(listing.root, listing.files, exercises)
    students = []
    for name in listing.folders:
        folder = Folder(identity(name), listing.root / name, lost=listing.lost(name))
        students.append(_if_one_students(folder, exercises))
    students += _packed(listing, zips, {folder.student for folder in students})
    students.sort(key=lambda folder: str(folder.path))
    others = sorted(set(listing.files) - set(zips))
    notes += [f"{one_line(name, 100)} was left out: it is not a folder." for name in others]
    return students, notes + hidden_entries(listing.hidden)


def _no_students(root: Path, entries: Sequence[str], exercises: Collection[str]) -> UserError:
    if any(Path(entry).stem in exercises for entry in entries):
        return UserError(
            f"{root} looks like the folder of one student. To grade a class, name the folder above "
            f"it. To check your own work, run `autograder check {root}/NAME.py`."
        )
    return UserError(
        f"{root} holds no folders. Expected one folder for each student, "
        f"with files such as {next(iter(exercises), 'NAME')}.py in it."
    )


def _zips(listing: Listing) -> list[str]:
    names = (name for name in listing.files if name.casefold().endswith(".zip"))
    return [name for name in names if kind_of(listing.root / name) in {"file", None}]


def _packed(listing: Listing, zips: Sequence[str], taken: set[str]) -> list[Folder]:
    """Return a folder for each zip that is named after a student and has the student's work."""
    packed = []
    for name in zips:
        student = identity(Path(name).stem)
        if student in taken:
            student = identity(name)
        taken.add(student)
        lost = " ".join(listing.lost(name).values())
        packed.append(Folder(student, None if lost else listing.root / name, unclear=lost))
    return packed


def _is_around_students(
    listing: Listing, exercises: Collection[str], known: Collection[str] = ()
) -> bool:
    """Return whether a folder contains only folders that may be folders of students.

    Folders with the names of exercises are parts of one student's work.
    """
    entries, zips = listing.entries, _zips(listing)
    several_packed = not zips or len(entries) > 1  # one zip is the work of one student
    only_folders = bool(entries) and len(listing.folders) + len(zips) == len(entries)
    parts = any(named_for(Path(entry.name).stem, exercises) for entry in entries)
    return only_folders and several_packed and not parts and listing.root.name not in known


def _if_one_students(folder: Folder, exercises: Collection[str]) -> Folder:
    """Return the folder, with `unclear` set if it seems to hold folders of several students.

    This is so if it contains only folders, and at least three have work for the same exercise.
    """
    if folder.path is None:
        return folder
    listing = Listing(folder.path, is_below=True)
    if not _is_around_students(listing, exercises):
        return folder
    for exercise in exercises:
        names = [f"{exercise}{suffix}" for suffix in SUFFIXES]
        holders = [
            each
            for each in listing.folders
            if any(kind_of(folder.path / each / name) == "file" for name in names)
        ]
        if len(holders) >= SEVERAL:
            unclear = may_hold(few([one_line(each, 60) for each in holders], MAX_SHOWN))
            return msgspec.structs.replace(folder, unclear=unclear, subfolders=tuple(holders))
    return folder


def may_hold(folders: str) -> str:
    """Return the reason why a person must look at a folder with these subfolders."""
    return (
        f"This folder may belong to one student, or hold the folders of several: {folders}. If "
        f"they are several students, move their folders one level up."
    )


FolderMaker = Callable[[str, HandIn, Path, bool], Folder]


def hand_ins(
    root: Path,
    exercises: Collection[str],
    roster: Roster | None,
    scratch: Path,
    packed: Mapping[PathParts, str] | None = None,
    platform: str | None = None,
) -> tuple[list[Folder], list[str], bool]:
    """Find the hand-ins of a class.

    Files that a platform has renamed are collected below the folder `scratch`. Keep that folder
    while the hand-ins are read. With a roster, students who handed in nothing are included.
    `packed` has the paths in the zip of `root`, with the reason why a file is missing.

    Return the folders sorted by student, and notes. The last value is true if some notes are about
    entries whose student is not known.

    Raises:
        UserError: the submissions cannot be read.
    """
    known = {student.id for student in roster.students} if roster is not None else set()
    download = None
    if root.is_dir():
        download = recognise(Listing(root, packed), exercises, platform, known)
    people: list[tuple[str, Owner, FolderMaker]] = []  # each person with the platform
    disputed: list[Pieces] = []
    if download is None:
        own, notes = find_folders(root, exercises, known=known, packed=packed)
        if roster is None:
            return own, notes, False
        for folder in own:
            make_own = partial(_own_folder, folder)
            people.append((PLAIN.name, plain_owner(folder.student), make_own))
        open_notes: list[str] = []
    else:
        settled, disputed = _settled(download, roster)
        notes, open_notes = download.notes, [*download.not_understood, *disputes(disputed)]
        for share in shares(settled, exercises):
            make = partial(_folder, share, download.listing, exercises)
            people.append((share.importer.name, share.person, make))
    if roster is None:
        folders = [
            make(identity(person.key), HandIn(), scratch / str(number), False)
            for number, (_, person, make) in enumerate(people)
        ]
    else:
        folders, more, unclear = _enrolled(people, disputed, roster, scratch)
        notes, open_notes = [*notes, *more], [*open_notes, *unclear]
    folders, of_one_id = _apart(folders)
    open_notes += of_one_id
    return folders, [*notes, *open_notes], bool(open_notes)


def _settled(download: Recognised, roster: Roster | None) -> tuple[Pieces, list[Pieces]]:
    """Return the pieces whose student is known, and those that may belong to several students.

    The roster can show which student is meant.
    """
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
    people: Sequence[tuple[str, Owner, FolderMaker]],
    disputed: Sequence[Pieces],
    roster: Roster,
    scratch: Path,
) -> tuple[list[Folder], list[str], list[str]]:
    """Make the folders of the students in the roster, and of people who are not in the roster.

    Return them with notes, and notes on hand-ins that may belong to several students. If a student
    may have only such a hand-in, a person must look at the student.
    """
    folders: list[Folder] = []
    strangers: list[Owner] = []
    matches = roster.match([(platform, person) for platform, person, _ in people])
    for number, ((_, person, make), match) in enumerate(zip(people, matches, strict=True)):
        is_group = roster.is_group(person.name or person.key)
        for place, student in enumerate(match.ids):
            where = scratch / f"{number}-{place}"
            folders.append(make(identity(student), roster.known(student), where, is_group))
        if not match.ids and not match.unclear:
            where = scratch / str(number)
            folders.append(make(identity(person.key), HandIn(enrolled=False), where, False))
            strangers.append(person)
    may_be = _may_be(matches, disputed, roster)
    missing = []
    for student in roster.missing(id for match in matches for id in match.ids):
        unclear = WHOSE if student in may_be else ""
        folders.append(Folder(identity(student), None, roster.known(student), unclear=unclear))
        if not unclear:
            missing.append(student)
    return folders, roster.notes(missing, strangers), roster.unclear(matches)


def _may_be(matches: Sequence[Match], disputed: Sequence[Pieces], roster: Roster) -> set[str]:
    """Return the students to whom a disputed hand-in may belong."""
    readings = [(importer.name, piece.owners[0]) for each in disputed for importer, piece in each]
    return {
        student
        for match in [*matches, *roster.match(readings)]
        for student in (*match.may_be, *match.ids)
    }


def _own_folder(folder: Folder, student: str, known: HandIn, _: Path, __: bool) -> Folder:
    """Return a folder that is not from a platform, with the roster's details."""
    if known.enrolled and folder.subfolders:  # the folder of one student
        folder = msgspec.structs.replace(folder, unclear="", subfolders=())
    name = student if known.enrolled else folder.student
    return msgspec.structs.replace(folder, student=name, hand_in=known)


def _folder(
    share: Share,
    listing: Listing,
    exercises: Collection[str],
    student: str,
    known: HandIn,
    place: Path,
    is_group: bool,
) -> Folder:
    """Return a folder with one student's share of a download.

    Args:
        known: details of the hand-in from the roster.
        place: a folder for files that must be collected.
        is_group: true if the share, and its id on the platform, belong to a group.
    """
    person, pieces = share.person, share.pieces
    late = any(piece.late for piece in pieces)
    at, no_time = (known.at, []) if known.at else _time_of(pieces)
    hand_in = msgspec.structs.replace(
        known,
        platform=share.importer.name,
        platform_id="" if is_group else printable(person.id),
        name=known.name or one_line(person.name, 120),
        email=known.email or one_line(person.email, 120),
        entries=tuple(one_line(piece.entry, 300) for piece in pieces),
        at=at,
        at_from=known.at_from or (share.importer.title if at or late else ""),
        late=late,
    )
    stage = staged(share, listing, place)
    folder = Folder(
        student,
        stage.path,
        hand_in,
        (*_notes_on(share, is_group), *no_time),
        lost=stage.lost,
        unread=tuple(stage.unread),
        starters=share.importer.starters,
    )
    may_be_several = share.importer is PLAIN and not known.enrolled
    return _if_one_students(folder, exercises) if may_be_several else folder


def _time_of(pieces: Sequence[Piece]) -> tuple[str, list[str]]:
    """Return the time of the last piece, or "". Add a note if all stated times are impossible."""
    given = [piece.at for piece in pieces if piece.at is not None]
    times = [at for at in given if at.year in YEARS]  # all have a time zone, or none has
    if times:
        last = max(times, key=lambda at: at.replace(tzinfo=None) - (at.utcoffset() or timedelta()))
        return last.isoformat(), []
    if not given:
        return "", []
    note = (
        f"The download says that this was handed in on {given[0].isoformat()}, which is not "
        f"possible. Enter the time in the roster's column handed_in."
    )
    return "", [note]


def _notes_on(share: Share, is_group: bool) -> list[str]:
    """Return the notes on a share for the student. For a group, one more note names the group."""
    notes = list(share.notes)
    if is_group:
        name = share.person.name or share.person.key
        notes.append(f"Handed in by a group: {one_line(name, 60)}.")
    if share.together_with:
        names = few([one_line(p.name or p.key, 60) for p in share.together_with], MAX_SHOWN)
        notes.append(f"Handed in together with {names}.")
    return notes


def _apart(folders: list[Folder]) -> tuple[list[Folder], list[str]]:
    """Sort the folders by student. If a student has several, make one folder that is not graded.

    This folder keeps only the details that are equal in all of the student's folders.
    """
    by_student: dict[str, list[Folder]] = {}
    for folder in sorted(folders, key=lambda folder: folder.student):
        by_student.setdefault(folder.student, []).append(folder)
    apart, notes = [], []
    for student, same in by_student.items():
        if len(same) == 1:
            apart += same
            continue
        hand_ins = [folder.hand_in or HandIn() for folder in same]
        platforms = join_names([hand_in.platform for hand_in in hand_ins])
        notes.append(
            f"{student} is the name of {len(same)} submissions, from {platforms}. None of them was "
            f"graded. Grade each platform by itself, with --from."
        )
        agreed = {
            name: value
            for name, value in msgspec.structs.asdict(hand_ins[0]).items()
            if all(getattr(each, name) == value for each in hand_ins)
        }
        agreed["entries"] = tuple(entry for each in hand_ins for entry in each.entries)
        apart.append(Folder(student, None, HandIn(**agreed), unclear=WHOSE))
    return apart, notes
