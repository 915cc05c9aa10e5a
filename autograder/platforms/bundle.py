"""Contents of a platform package: engine, course, and a list of libraries with versions. Zips.

A platform package contains solutions, so students must not see it.
"""

import ast
import contextlib
import importlib.metadata
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import msgspec
from packaging.requirements import Requirement
from packaging.version import Version

from autograder.course.course_file import FILE_NAME, Course, Exercise
from autograder.course.errors import UserError
from autograder.course.files import plain_files
from autograder.course.installation import PACKAGE

ENGINE, COURSE, JOB, REQUIREMENTS = "engine", "course", "job.json", "requirements.txt"
TEMPLATES = Path(__file__).parent / "templates"
MOST = 50 * 1024 * 1024

Files = dict[str, bytes]


class PackagedJob(msgspec.Struct, frozen=True):
    """Job of a platform package: the exercises, and a switch for the search for repairs."""

    exercises: tuple[str, ...]
    repairs: bool = True


def bundle(course: Course, exercises: Sequence[Exercise], repairs: bool = True) -> Files:
    """Return the files for engine, course, job and requirements, by path."""
    files = dict(engine_files()) | dict(course_files(course))
    size = sum(map(len, files.values()))
    if size > MOST:
        raise UserError(
            f"The course's folders hold {size // 2**20} MiB; at most {MOST // 2**20} can be "
            f"packed. Move other files out of them."
        )
    return dict(sorted((files | job_files(exercises, repairs)).items()))


def job_files(exercises: Sequence[Exercise], repairs: bool) -> Files:
    """Return the files for the job and the requirements, by path."""
    job = PackagedJob(tuple(exercise.name for exercise in exercises), repairs)
    return {
        JOB: msgspec.json.format(msgspec.json.encode(job), indent=1) + b"\n",
        REQUIREMENTS: "".join(f"{line}\n" for line in requirements(exercises)).encode(),
    }


def engine_files() -> Iterator[tuple[str, bytes]]:
    yield from files_below(Path(__file__).resolve().parent.parent, f"{ENGINE}/autograder")


def course_files(course: Course) -> Iterator[tuple[str, bytes]]:
    """Yield the course files that grading needs, each with its path in the package."""
    yield f"{COURSE}/{FILE_NAME}", (course.root / FILE_NAME).read_bytes()
    folders = dict.fromkeys([*course.grading, course.solutions, course.handed_out])
    for folder in [*folders, *_imported(course)]:
        yield from files_below(folder, f"{COURSE}/{folder.relative_to(course.root).as_posix()}")


def _imported(course: Course) -> list[Path]:
    """Return the modules in the folder of `course.yml` that the reference or the checks import."""
    known = {folder.relative_to(course.root).parts[0] for folder in course.grading} | {"autograder"}
    modules: list[Path] = []
    waiting = list(course.grading)
    while waiting:
        for name in sorted(_imports(waiting.pop()) - known):
            known.add(name)
            places = (course.root / name, course.root / f"{name}.py")
            there = [place for place in places if place.exists()]
            modules += there
            waiting += there
    return modules


def _imports(place: Path) -> set[str]:
    names: set[str] = set()
    for file in [place] if place.is_file() else place.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_bytes())):
            if isinstance(node, ast.Import):
                names |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                names.add(node.module.partition(".")[0])
    return names


def files_below(place: Path, into: str) -> Iterator[tuple[str, bytes]]:
    """Yield a file, or a folder's files in order, without links, hidden and compiled files."""
    if place.is_file():
        yield into, place.read_bytes()
        return
    for path in plain_files(place):
        if not path.is_symlink() and path.suffix != ".pyc":
            yield f"{into}/{path.relative_to(place).as_posix()}", path.read_bytes()


def requirements(exercises: Iterable[Exercise]) -> list[str]:
    """Return the libraries for graders and students, in the installed versions."""
    extras = {"", "students"} | ({"torch"} if any(e.needs == "torch" for e in exercises) else set())
    lines = set()
    for line in importlib.metadata.requires(PACKAGE) or ():
        needed = Requirement(line)
        environments = [{"sys_platform": "linux", "extra": extra} for extra in extras]
        if needed.marker is None or any(map(needed.marker.evaluate, environments)):
            with contextlib.suppress(importlib.metadata.PackageNotFoundError):
                version = Version(importlib.metadata.version(needed.name))
                lines.add(f"{needed.name}=={version.public}")
    return sorted(lines)


def template(name: str, **values: str) -> bytes:
    """Return the text of a template. Values replace `@NAME@`."""
    text = (TEMPLATES / name).read_text(encoding="utf-8")
    for key, value in values.items():
        text = text.replace(f"@{key}@", value)
    return text.encode()
