"""What was recorded before, in the user's own cache: a release that was stopped goes on there.

A file for each part of an exercise, named by the digest of all that it rests on; so none is ever
out of date, and none is changed. It holds answers, and is its owner's alone.
"""

import contextlib
import hashlib
import os
import stat
import zlib
from pathlib import Path

from autograder.files import write_whole

MOST = 200  # parts of exercises: the whole of a large course, some times over
LONGEST = 2**30  # bytes of one part
SEAL = 32


class KeptRecords:
    """The records that are kept, if there is a folder for them; a cache that cannot be is none."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder or _usual()

    def get(self, key: str) -> bytes | None:
        """What is kept under a digest; None where nothing is, or where it is damaged."""
        path = self._path(key)
        if path is None:
            return None
        try:
            data = path.read_bytes()
            seal, packed = data[:SEAL], data[SEAL:]
            if hashlib.sha256(key.encode() + packed).digest() != seal:
                return None
            os.utime(path)
            return zlib.decompressobj().decompress(packed, LONGEST)
        except (OSError, zlib.error):
            return None

    def put(self, key: str, data: bytes) -> bool:
        """Keep something; whether that could be done."""
        path = self._path(key)
        packed = zlib.compress(data, 1)
        if path is None:
            return False
        try:
            path.with_name(f"{path.name}.part").unlink(missing_ok=True)  # of a run that was killed
            write_whole(path, hashlib.sha256(key.encode() + packed).digest() + packed)
        except OSError:
            return False
        self._keep_newest(path.parent)
        return True

    def _path(self, key: str) -> Path | None:
        return self._folder / key if self._folder is not None and _is_ours(self._folder) else None

    def _keep_newest(self, folder: Path) -> None:
        with contextlib.suppress(OSError):
            found = sorted(folder.iterdir(), key=lambda path: path.stat().st_mtime_ns)
            for path in found[:-MOST]:
                path.unlink(missing_ok=True)


def _usual() -> Path | None:
    """Below the user's cache; None where there is no home."""
    try:
        home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    except RuntimeError:
        return None
    return home / "autograder" / "recorded"


def _is_ours(folder: Path) -> bool:
    """Whether the folder is there, or can be made, and nobody else can write in it."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = folder.lstat()
    except OSError:
        return False
    if os.name != "posix":
        return True
    private = not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and private
