"""A released course that takes the place of an earlier one: what students wrote stays."""

from collections.abc import Mapping
from pathlib import Path

from autograder.course import FILE_NAME, load_course
from autograder.errors import UserError
from autograder.files import write_whole
from autograder.release.paper import PACKAGE, STUBS, WORK
from autograder.submission.source import SUFFIXES

WHEELS = "*.whl"
REPLACED = frozenset({*SUFFIXES, ".bin", ".whl"})


def without_work(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """What can be unpacked over an earlier release: no exercise is in it."""
    return {name: data for name, data in files.items() if not _is_work(name)}


def _is_work(name: str) -> bool:
    """Whether students write in a file; they do not in the pictures beside it."""
    return name.startswith(f"{WORK}/") and name.endswith(SUFFIXES)


def update(folder: Path, files: Mapping[str, bytes]) -> list[str]:
    """Write a release over an earlier one; the exercises that were written in, and so were kept.

    Raises:
        UserError: there is no earlier release in the folder.
    """
    before = _handed_out(folder)
    kept = []
    for path in [*sorted((folder / PACKAGE).rglob("*")), *sorted(folder.glob(WHEELS))]:
        name = path.relative_to(folder).as_posix()
        if path.is_file() and name not in files and path.suffix in REPLACED:
            path.unlink()
    for name, data in files.items():
        path = folder / name
        if _is_work(name) and path.exists() and path.read_bytes() != before.get(path.name):
            kept.append(name)
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, data)
    return kept


def _handed_out(folder: Path) -> dict[str, bytes]:
    """The exercises of the earlier release, as they were."""
    if not (folder / FILE_NAME).is_file():
        raise UserError(f"{folder} holds no released course. Leave --update out to make one.")
    if load_course(folder / FILE_NAME).content.released is None:
        raise UserError(f"{folder} holds a course that is not a released one; nothing was changed.")
    return {path.name: path.read_bytes() for path in (folder / STUBS).iterdir() if path.is_file()}
