"""A zip of submissions, unpacked with care: only source files, only below the target, bounded."""

import stat
import zipfile
import zlib
from pathlib import Path, PurePosixPath

from autograder.errors import UserError
from autograder.submission.source import MAX_NOTEBOOK, SUFFIXES
from autograder.text import one_line

MAX_ENTRIES = 200_000
MAX_TOTAL = 1024 * 1024 * 1024
UNPACKED = (*SUFFIXES, ".txt", ".json", ".pyw", ".zip")
CHUNK = 1024 * 1024


def unpack(archive: Path, target: Path) -> list[str]:
    """Unpack the `.py` and `.ipynb` files of `archive`; notes say what was left out and why.

    Raises:
        UserError: it is not a zip file, or far too large to be a class's work.
    """
    notes: list[str] = []
    total = 0
    try:
        with zipfile.ZipFile(archive) as file:
            entries = file.infolist()
            if len(entries) > MAX_ENTRIES:
                raise UserError(f"{archive} has over {MAX_ENTRIES:,} entries; it was not unpacked.")
            for entry in entries:
                try:
                    total += _unpack_one(file, entry, target, MAX_TOTAL - total)
                except _LeftOut as reason:
                    notes.append(f"{one_line(entry.filename, 120)} was left out: {reason}.")
    except (zipfile.BadZipFile, EOFError) as error:
        raise UserError(f"{archive} is not a zip file that can be read: {error}.") from None
    except OSError as error:
        raise UserError(f"{archive} cannot be unpacked: {error.strerror}.") from None
    return notes


class _LeftOut(Exception):
    """Why an entry is not unpacked."""


def _unpack_one(file: zipfile.ZipFile, entry: zipfile.ZipInfo, target: Path, room: int) -> int:
    path = PurePosixPath(entry.filename.replace("\\", "/"))
    if not path.parts or path.is_absolute() or ".." in path.parts or ":" in path.parts[0]:
        raise _LeftOut("its path leads out of the archive")
    place = target.joinpath(*path.parts)
    if entry.is_dir():
        place.mkdir(parents=True, exist_ok=True)
        return 0
    mode = entry.external_attr >> 16
    if mode and not stat.S_ISREG(mode) and stat.S_IFMT(mode):
        raise _LeftOut("it is a link or a device")
    if path.suffix.casefold() not in UNPACKED:
        place.parent.mkdir(parents=True, exist_ok=True)
        return 0
    if entry.flag_bits & 1:
        raise _LeftOut("it is encrypted")
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        return _copy(file, entry, place, min(room, MAX_NOTEBOOK))
    except FileExistsError:
        raise _LeftOut("another entry has the same name") from None
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, EOFError) as error:
        place.unlink(missing_ok=True)
        raise _LeftOut(f"it is damaged ({error})") from None
    except (OSError, ValueError) as error:
        raise _LeftOut(f"it cannot be written ({error})") from None


def _copy(file: zipfile.ZipFile, entry: zipfile.ZipInfo, place: Path, room: int) -> int:
    written = 0
    with file.open(entry) as source, place.open("xb") as copy:
        while chunk := source.read(CHUNK):
            written += len(chunk)
            if written > room:
                copy.close()
                place.unlink()
                raise _LeftOut(f"it is larger than {room // 2**20} MiB")
            copy.write(chunk)
    return written
