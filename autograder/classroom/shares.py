"""One person's part of a download: the attempt that counts, put together in a folder."""

import contextlib
import os
import shutil
from collections.abc import Collection, Sequence
from pathlib import Path, PurePosixPath

import msgspec

from autograder.classroom.downloads import Importer, Listing, Owner, Piece
from autograder.classroom.recognise import Pieces
from autograder.course.files import open_new
from autograder.course.text import one_line
from autograder.submission.archive import MAX_STUDENT, UNPACKED
from autograder.submission.file_names import counts
from autograder.submission.walk import MAX_DEPTH, MAX_FILES

MAX_NAME = 255  # bytes


class Share(msgspec.Struct):
    """The pieces of one person that count, older first; `notes` are for the student."""

    person: Owner
    importer: Importer
    pieces: list[Piece]
    notes: list[str] = []
    together_with: tuple[Owner, ...] = ()


def shares(pieces: Pieces, exercises: Collection[str]) -> list[Share]:
    """Return everybody's part, in order of key; a group's work is each member's."""
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
    """Leave out what was handed in again later."""
    pieces = sorted(share.pieces, key=lambda piece: (piece.attempt, piece.entry))
    if any(piece.whole for piece in pieces):
        last = pieces[-1].attempt
        share.pieces = [piece for piece in pieces if piece.attempt == last]
        count = len({piece.attempt for piece in pieces}) - 1
        if count:
            which = "An earlier attempt was" if count == 1 else f"{count} earlier attempts were"
            share.notes.append(f"{which} left out: the last one counts.")
        return
    share.pieces = []
    for piece in pieces:
        later = [other for other in pieces if _replaces(other, piece, pieces, exercises)]
        if later:
            name, newest = one_line(piece.name, 60), one_line(later[-1].name, 60)
            again = "it" if name == newest else newest
            share.notes.append(f"{name} was left out: {again} was handed in again later.")
        else:
            share.pieces.append(piece)


def _replaces(
    other: Piece, piece: Piece, pieces: Sequence[Piece], exercises: Collection[str]
) -> bool:
    """Tell whether one file takes another's place, by the platform's count of them.

    A student may number files, too. So a number counts only after an exercise's name, or where
    the file without one is there.
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


def staged(share: Share, listing: Listing, place: Path) -> Path:
    """Return a folder in which a share can be read: the one in the download, or else `place`.

    Files of several entries, or under a name that a platform has made, are linked or copied to
    `place` under their real names. A file that cannot be graded is there only by its name, so that
    the report names it. Links of others stay links, which are never followed.
    """
    only = share.pieces[0] if len(share.pieces) == 1 else None
    if only is not None and not only.name and (listing.root / only.entry).is_dir():
        return listing.root / only.entry
    place.mkdir(parents=True)
    left = MAX_FILES + 1
    for piece in share.pieces:
        source = listing.root / piece.entry
        if piece.name:
            name = piece.name
            bad = name in {".", ".."} or any(sign in name for sign in "/\\\0")
            if bad or len(os.fsencode(name)) > MAX_NAME:
                name = one_line(piece.entry, 100)
            _put(source, place / name)
        elif source.is_dir() and not source.is_symlink():
            left = _put_tree(source, place, left)
    return place


def _put(source: Path, place: Path) -> None:
    """Put a file in a place, instead of an older one of that name."""
    with contextlib.suppress(FileNotFoundError, IsADirectoryError):
        place.unlink()
    if source.is_symlink():
        place.symlink_to(os.readlink(source))
    elif not source.is_file() or place.suffix.casefold() not in UNPACKED:
        open_new(place).close()
    else:
        try:
            os.link(source, place, follow_symlinks=False)
        except OSError:  # another disk, or a file of somebody else's
            if source.lstat().st_size <= MAX_STUDENT:
                shutil.copyfile(source, place, follow_symlinks=False)
            else:
                open_new(place).close()


def _put_tree(source: Path, place: Path, left: int) -> int:
    """Put a folder's files into another one, and return the number of files still allowed."""
    for folder, folders, files in os.walk(source):
        below = Path(folder).relative_to(source)
        folders[:] = sorted(filter(counts, folders)) if len(below.parts) < MAX_DEPTH else []
        (place / below).mkdir(exist_ok=True)
        for name in sorted(filter(counts, files)):
            if left <= 0:
                return 0
            _put(Path(folder, name), place / below / name)
            left -= 1
    return left
