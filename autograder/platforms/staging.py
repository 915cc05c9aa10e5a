"""One person's files put together in a folder under their real names, as they had them."""

import contextlib
import os
import shutil
from pathlib import Path

from autograder.files import open_new
from autograder.platforms.listing import Listing
from autograder.platforms.people import Share
from autograder.submission.archive import MAX_STUDENT, UNPACKED
from autograder.submission.names import counts
from autograder.submission.walk import MAX_DEPTH, MAX_FILES
from autograder.text import one_line

MAX_NAME = 255  # bytes


def staged(share: Share, listing: Listing, place: Path) -> Path:
    """Where a share can be read as a student's folder: where it lies, or else in `place`.

    What lies in several entries, or under a name that a platform has made, is linked or copied
    there. What cannot be graded is there by its name alone, so that it is named. Links of others
    stay links, which are never followed.
    """
    only = share.pieces[0] if len(share.pieces) == 1 else None
    if only is not None and not only.name and (listing.root / only.entry).is_dir():
        return listing.root / only.entry
    place.mkdir(parents=True)
    left = MAX_FILES + 1
    for piece in share.pieces:
        source = listing.root / piece.entry
        if piece.name:
            _put(source, place / _safe(piece.name, piece.entry))
        elif source.is_dir() and not source.is_symlink():
            left = _put_tree(source, place, left)
    return place


def _safe(name: str, entry: str) -> str:
    """The real name, where a file can have it; else that of the entry."""
    bad = name in {"", ".", ".."} or "/" in name or "\\" in name or "\0" in name
    return one_line(entry, 100) if bad or len(os.fsencode(name)) > MAX_NAME else name


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
    """Put what is in a folder into another one; returns how many entries there is room for."""
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
