"""Pictures in a lesson's text: where they lie, and how its notebook carries them along.

A text shows a picture as Markdown does, `![what is to be seen](figures/NAME.png)`. The file lies in
the folder of the students' files, so a script's reader can open it; a notebook has it attached, so
that it is whole wherever it is opened.
"""

import base64
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from autograder.course.course_file import Course, Exercise
from autograder.course.errors import UserError

KINDS = {".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif"}
LARGEST = 60_000  # bytes of one picture: every notebook that shows it carries it
_SHOWN = re.compile(r"!\[([^\]]*)\]\(([^()\s]+)\)")
_ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:|/", re.IGNORECASE)


def pictures_in(text: str) -> list[str]:
    """Return the files that a text shows, each once, relative to the students' files."""
    return list(dict.fromkeys(path for _, path in _local(text)))


def pictures_of(course: Course, texts: Iterable[str]) -> dict[str, bytes]:
    """Return the pictures there are of those that texts show, by their paths there."""
    paths = dict.fromkeys(path for text in texts for path in pictures_in(text))
    files = {path: course.handed_out / path for path in paths}
    return {path: file.read_bytes() for path, file in files.items() if file.is_file()}


def attach(cell: Any, folder: Path) -> None:
    """Put the pictures that a text cell shows into the cell; one that is not there stays a link."""
    for path in pictures_in(cell["source"]):
        file = folder / path
        if not file.is_file() or file.suffix.lower() not in KINDS:
            continue
        data = base64.b64encode(file.read_bytes()).decode("ascii")
        cell.setdefault("attachments", {})[file.name] = {KINDS[file.suffix.lower()]: data}
        cell["source"] = cell["source"].replace(f"]({path})", f"](attachment:{file.name})")


def require_pictures(course: Course, exercise: Exercise, text: str) -> None:
    """Make sure that whoever reads the text can see its pictures, or read what is in them.

    Raises:
        UserError: one is not there, is of no kind that a notebook can carry, is too large, or has
            no description.
    """
    name = course.solution_file(exercise.name).name
    for said, path in _local(text):
        file = course.handed_out / path
        wrong = ""
        if not said.strip(" #\n"):
            wrong = "has no description: describe the picture between ![ and ]"
        elif file.suffix.lower() not in KINDS:
            wrong = f"is not a kind of picture that a notebook can hold ({', '.join(KINDS)})"
        elif not file.is_file():
            wrong = f"does not exist: expected it at {file}"
        elif file.stat().st_size > LARGEST:
            wrong = f"has {file.stat().st_size:,} bytes; at most {LARGEST:,} are allowed"
        if wrong:
            raise UserError(f"{name} shows {path}, which {wrong}.")


def _local(text: str) -> Iterator[tuple[str, str]]:
    """Yield descriptions and paths of pictures that are files in the students' folder."""
    for said, path in _SHOWN.findall(text):
        if not _ELSEWHERE.match(path) and ".." not in path.split("/"):
            yield said, path
