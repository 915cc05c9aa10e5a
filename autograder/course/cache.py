"""Cache in the user's folder. The key of an entry is a digest of the entry's inputs."""

import contextlib
import functools
import hashlib
import os
import stat
import zlib
from collections.abc import Iterable
from pathlib import Path

import msgspec

from autograder.course.files import plain_files, write_atomically
from autograder.course.installation import engine_folder

MAX_BYTES = 2**30  # of one unpacked entry
SEAL = 32


def cache_key(*parts: object) -> str:
    """Return a digest of inputs. Inputs that are neither bytes nor texts are converted to JSON."""
    texts = (p.encode("utf-8", "surrogatepass") if isinstance(p, str) else p for p in parts)
    data = [p if isinstance(p, bytes) else msgspec.json.encode(p) for p in texts]
    return hashlib.sha256(b"\0".join(data)).hexdigest()


def files_key(root: Path, files: Iterable[Path], length: int = 64) -> str:
    """Return a digest of files: their paths below `root` and their contents, in this order."""
    parts: list[object] = []
    for file in files:
        if file.is_file():
            parts += [file.relative_to(root).as_posix(), file.read_bytes()]
    return cache_key(*parts, b"")[:length]


@functools.cache
def engine_key() -> str:
    """Return a digest of the engine's files at the first call."""
    return files_key(engine_folder(), plain_files(engine_folder()))


class Cache:
    """Cache of bytes.

    Each entry is a file with the key as name. An entry never changes, because other inputs have
    another key. Old files are deleted. If the folder cannot be written, or if other users may write
    in it, the cache stays empty.
    """

    def __init__(self, folder: Path, size: int) -> None:
        self._folder, self._size = folder, size

    @classmethod
    def of_user(cls, name: str, size: int) -> "Cache":
        """Return the user's cache with this name. Without a home folder, the cache stays empty."""
        home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
        return cls(Path(home, "autograder", name), size)

    def get(self, key: str) -> bytes | None:
        """Return the entry for a key. If it is missing or damaged, return None."""
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
        path = self._folder / key
        packed = zlib.compress(data, 1)
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not _is_ours(self._folder):
                return False
            path.with_name(f"{key}.part").unlink(missing_ok=True)  # left by a killed run
            write_atomically(path, _seal(key, packed) + packed)
        except OSError:
            return False
        with contextlib.suppress(OSError):
            entries = sorted(self._folder.iterdir(), key=lambda path: path.stat().st_mtime_ns)
            for old in entries[: -self._size]:
                old.unlink(missing_ok=True)
        return True


def _seal(key: str, packed: bytes) -> bytes:
    return hashlib.sha256(key.encode() + packed).digest()


def _is_ours(folder: Path) -> bool:
    status = folder.lstat()
    is_private = os.name != "posix" or (
        status.st_uid == os.getuid() and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    )
    return stat.S_ISDIR(status.st_mode) and is_private
