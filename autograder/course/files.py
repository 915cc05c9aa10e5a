"""Reading and safe writing of files. Writing follows no link and leaves no half-written file."""

import contextlib
import errno
import io
import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import IO

from autograder.course.errors import UserError

UNIX = 3  # code for Unix file modes in a zip


def read_text(path: Path) -> str:
    """Read a file of the course. If that is impossible, raise a `UserError` with the reason."""
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as e:
        raise UserError(f"{path} is not UTF-8 text (byte {e.start}). Save it as UTF-8.") from e


def open_new(path: Path, folder: int | None = None) -> IO[bytes]:
    """Open a new file for writing. It replaces any file or link with the same path.

    With `folder`, the descriptor of the file's folder, only the path's name is used.
    """
    at = path if folder is None else path.name
    with contextlib.suppress(FileNotFoundError):
        os.unlink(at, dir_fd=folder)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    for name in ("O_NOFOLLOW", "O_CLOEXEC", "O_BINARY"):
        flags |= getattr(os, name, 0)
    return os.fdopen(os.open(at, flags, 0o666, dir_fd=folder), "wb")


def write_atomically(
    path: Path, data: str | bytes | Iterable[str], folder: int | None = None, sync: bool = False
) -> None:
    """Write a file completely or not at all.

    A link at the path is replaced. With `sync`, the file survives a power failure.
    """
    partial = path.with_name(f"{path.name}.part")
    with open_new(partial, folder) as file:
        if isinstance(data, bytes):
            file.write(data)
        else:
            for piece in (data,) if isinstance(data, str) else data:
                file.write(piece.encode())
        if sync:
            file.flush()
            os.fsync(file.fileno())
    if folder is None:
        os.replace(partial, path)
    else:
        os.replace(partial.name, path.name, src_dir_fd=folder, dst_dir_fd=folder)


@contextlib.contextmanager
def refuse_unwritable(path: Path) -> Iterator[None]:
    """Raise a `UserError` if the body of a `with` statement cannot write to this path."""
    try:
        yield
    except OSError as error:
        raise UserError(f"{path} cannot be written: {error.strerror}.") from None


def plain_files(folder: Path) -> list[Path]:
    """Return the files below a folder in order, without hidden and compiled files."""
    return [
        path
        for path in sorted(folder.rglob("*"))
        if path.is_file()
        and not any(p.startswith((".", "__pycache__")) for p in path.relative_to(folder).parts)
    ]


def write_files(folder: Path, files: Mapping[str, bytes]) -> None:
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, data)


def synced(path: Path) -> None:
    """Force a file's content, or a folder's names, onto the disk, or raise an OSError."""
    if path.is_dir() and os.name == "nt":  # Windows cannot sync folders
        return
    descriptor = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def plain_folder(path: Path, mode: int = 0o777) -> None:
    """Make a folder if it does not exist. If a link or a file has this name, raise an OSError."""
    with contextlib.suppress(FileExistsError):
        path.mkdir(mode)
    if not stat.S_ISDIR(path.lstat().st_mode):
        raise OSError(errno.ENOTDIR, "it is a link or a file, not a folder", str(path))


@contextlib.contextmanager
def opened_folder(path: Path) -> Iterator[int | None]:
    """Open the descriptor of a folder. Nobody can then replace the folder by a link.

    On systems without such descriptors, yield None. For a link or a file, raise an OSError.
    """
    if os.open not in os.supports_dir_fd or not hasattr(os, "O_NOFOLLOW"):
        plain_folder(path)
        yield None
        return
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def zipped(files: Iterable[tuple[str, bytes]]) -> bytes:
    """Return a zip of files in this order. Equal files give equal bytes."""
    import zipfile  # slow to import

    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as file:
        for path, content in files:
            info = zipfile.ZipInfo(path)  # its time is the earliest that a zip can store
            info.create_system = UNIX
            info.external_attr = rights(content) << 16
            file.writestr(info, content, zipfile.ZIP_DEFLATED)
    return data.getvalue()


def rights(content: bytes) -> int:
    """Return a file's mode: readable for all, and executable for scripts."""
    return 0o755 if content.startswith(b"#!") else 0o644
