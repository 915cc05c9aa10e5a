"""Cache in the user's own folder, and the key of whatever is kept: a digest of its inputs."""

import contextlib
import hashlib
import os
import stat
import zlib
from collections.abc import Iterable
from pathlib import Path

import msgspec

from autograder.course.files import write_atomically

MAX_BYTES = 2**30  # of one entry
SEAL = 32


def cache_key(*parts: object) -> str:
    """Return the digest of some inputs: another input has another key.

    Bytes and texts count as they are, all else as JSON.
    """
    texts = (p.encode("utf-8", "surrogatepass") if isinstance(p, str) else p for p in parts)
    data = [p if isinstance(p, bytes) else msgspec.json.encode(p) for p in texts]
    return hashlib.sha256(b"\0".join(data)).hexdigest()


def files_key(root: Path, files: Iterable[Path], length: int = 64) -> str:
    """Return the digest of files, in their order: of their paths below a root and what is in them.

    Folders do not count.
    """
    parts: list[object] = []
    for file in files:
        if file.is_file():
            parts += [file.relative_to(root).as_posix(), file.read_bytes()]
    return cache_key(*parts, b"")[:length]


class Cache:
    """Bytes in files named by their keys; the oldest go when there are more than `size`.

    An entry is never changed, and never out of date, since its key names its inputs. A folder that
    cannot be written, or in which others may write, is no cache: nothing is kept then.
    """

    def __init__(self, folder: Path, size: int) -> None:
        self._folder, self._size = folder, size

    @classmethod
    def of_user(cls, name: str, size: int) -> "Cache":
        """Return the cache of that name below the user's own; without a home it keeps nothing."""
        home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
        return cls(Path(home, "autograder", name), size)

    def get(self, key: str) -> bytes | None:
        """Return what is kept under a key; None where nothing is, or where it is damaged."""
        path = self._folder / key
        try:
            data = path.read_bytes() if _is_ours(self._folder) else b""
            seal, packed = data[:SEAL], data[SEAL:]
            if _seal(key, packed) != seal:
                return None
            with contextlib.suppress(OSError):
                os.utime(path)
            return zlib.decompressobj().decompress(packed, MAX_BYTES)
        except (OSError, zlib.error):
            return None

    def put(self, key: str, data: bytes) -> bool:
        """Keep something, and return whether that could be done."""
        path = self._folder / key
        packed = zlib.compress(data, 1)
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not _is_ours(self._folder):
                return False
            path.with_name(f"{key}.part").unlink(missing_ok=True)  # of a run that was killed
            write_atomically(path, _seal(key, packed) + packed)
        except OSError:
            return False
        with contextlib.suppress(OSError):
            found = sorted(self._folder.iterdir(), key=lambda each: each.stat().st_mtime_ns)
            for old in found[: -self._size]:
                old.unlink(missing_ok=True)
        return True


def _seal(key: str, packed: bytes) -> bytes:
    return hashlib.sha256(key.encode() + packed).digest()


def _is_ours(folder: Path) -> bool:
    """Return whether a folder is this user's, and nobody else can write in it."""
    found = folder.lstat()
    if os.name != "posix":
        return stat.S_ISDIR(found.st_mode)
    private = not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and private
