"""Share of a person in a download: the attempt that counts, collected in one folder."""

from collections.abc import Collection, Sequence
from pathlib import Path, PurePosixPath

import msgspec

from autograder.classroom.downloads import Importer, Listing, Owner, Piece
from autograder.classroom.recognise import Pieces
from autograder.course.text import one_line
from autograder.submission.archive import MAX_STUDENT, UNPACKED
from autograder.submission.file_names import counts
from autograder.submission.read import (
    UnreadableFile,
    entries_of,
    kind_of,
    put,
    put_folder,
    put_name,
)
from autograder.submission.walk import MAX_DEPTH, MAX_FILES

MAX_NAME = 255  # bytes of a file's name


class Share(msgspec.Struct):
    """The pieces of one person that count, oldest first; `notes` are notes for the student."""

    person: Owner
    importer: Importer
    pieces: list[Piece]
    notes: list[str] = []
    together_with: tuple[Owner, ...] = ()


def shares(pieces: Pieces, exercises: Collection[str]) -> list[Share]:
    """Return each person's share, sorted by key. All members of a group have the same share."""
    found: dict[tuple[str, str], Share] = {}
    for importer, piece in pieces:
        for owner in piece.owners:
            share = found.setdefault((owner.key, importer.name), Share(owner, importer, []))
            share.pieces.append(piece)
    for share in found.values():
        _leave_out_older(share, exercises)
        owners = dict.fromkeys(owner for piece in share.pieces for owner in piece.owners)
        share.together_with = tuple(o for o in owners if o.key != share.person.key)
    return [found[key] for key in sorted(found)]


def _leave_out_older(share: Share, exercises: Collection[str]) -> None:
    """Leave out a piece if a later piece replaces it."""
    pieces = sorted(share.pieces, key=lambda piece: (piece.attempt, piece.entry))
    if any(piece.whole for piece in pieces):
        last = pieces[-1].attempt
        share.pieces = [piece for piece in pieces if piece.attempt == last]
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
    """Return whether a file replaces another file, by the attempt number in its name.

    Students may put numbers into the names of files, too. So a number counts only directly after an
    exercise's name, or if the same file without a number exists.
    """
    if not piece.name or other.original.casefold() != piece.original.casefold():
        return False
    attempts = zip(piece.attempt, other.attempt, strict=True)
    if other.attempt == piece.attempt or not all(b >= a for a, b in attempts):  # type: ignore[operator]
        return False
    if other.name == piece.name or PurePosixPath(piece.original).stem in exercises:
        return True
    packed = PurePosixPath(piece.original).suffix.casefold() == ".zip"
    return packed and any(each.name == each.original == piece.original for each in pieces)


class Staged(msgspec.Struct):
    """A folder from which a share can be read.

    `lost` are the files that are not in the folder, and `unread` are folders that cannot be read.
    Both are dicts from a path to the reason.
    """

    path: Path
    lost: dict[str, str] = {}
    unread: list[str] = []
    left: int = MAX_FILES + 1


def staged(share: Share, listing: Listing, place: Path) -> Staged:
    """Return a folder from which a share can be read: the download's own folder, or else `place`.

    If a share has several entries, or a platform renamed its files, the files are linked or copied
    into `place` under their original names. If a file cannot be graded, only its name is there, so
    that the report names it. A link stays a link, and links are never followed.

    Raises:
        OSError: there is no room for the files.
    """
    only = share.pieces[0] if len(share.pieces) == 1 else None
    if only is not None and not only.name and kind_of(listing.root / only.entry) == "folder":
        return Staged(listing.root / only.entry, listing.lost(only.entry))
    place.mkdir(parents=True)
    stage = Staged(place)
    for piece in share.pieces:
        source, lost = listing.root / piece.entry, listing.lost(piece.entry)
        if piece.name:
            name = piece.name
            bad = name in {".", ".."} or any(sign in name for sign in "/\\\0")
            if bad or len(name.encode("utf-8", "surrogateescape")) > MAX_NAME:
                name = one_line(piece.entry, 100).replace("/", "_")
            _put(stage, source, PurePosixPath(name), lost.get("", ""))
        else:
            stage.lost |= lost
            if kind_of(source) == "folder":
                _put_tree(stage, source)
            elif not lost:
                stage.unread.append(f"{one_line(piece.entry, 100)} cannot be read as a folder.")
    return stage


def _put(stage: Staged, source: Path, path: PurePosixPath, lost: str = "") -> None:
    """Put a file into the stage, in place of an older file. `lost` says why its content is lost."""
    kind = kind_of(source)
    try:
        if kind is None and lost:
            raise UnreadableFile(lost)
        if kind != "link" and path.suffix.casefold() not in UNPACKED:
            put_name(stage.path / path)
        else:
            put(source, stage.path / path, MAX_STUDENT)
        stage.lost.pop(str(path), None)
    except UnreadableFile as error:
        stage.lost[str(path)] = str(error)


def _put_tree(stage: Staged, source: Path) -> None:
    """Put the files of a folder into the stage, up to the limits on their number and size."""
    waiting = [PurePosixPath()]
    for below in waiting:
        try:
            shown = one_line(str(PurePosixPath(source.name) / below), 100)
            entries = entries_of(source / below, MAX_FILES + 1, shown)
            put_folder(stage.path / below)
        except UnreadableFile as error:
            stage.unread.append(str(error))
            continue
        for entry in entries:
            if not counts(entry.name):
                continue
            if entry.kind != "folder" and stage.left > 0:
                _put(stage, source / below / entry.name, below / entry.name)
                stage.left -= 1
            elif entry.kind == "folder" and len(below.parts) < MAX_DEPTH:
                waiting.append(below / entry.name)
