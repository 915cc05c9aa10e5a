"""Pictures in the text of an exercise: their files, and their copies inside notebooks.

A text shows a picture as in Markdown, `![description](figures/NAME.png)`. The file is in the folder
of the students' files, so that a reader of the script can open it. A notebook contains a copy of
the picture, so it needs no other file.
"""

import base64
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from autograder.course.course_file import Course, Exercise
from autograder.course.errors import UserError

KINDS = {".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif"}
LARGEST = 60_000  # bytes of one picture; each notebook contains a copy
_SHOWN = re.compile(r"!\[([^\]]*)\]\(([^()\s]+)\)")
_ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:|/", re.IGNORECASE)


def pictures_in(text: str) -> list[str]:
    """Return the pictures in a text as paths relative to the students' files, each path once."""
    return list(dict.fromkeys(path for _, path in _local(text)))


def pictures_of(course: Course, texts: Iterable[str]) -> dict[str, bytes]:
    """Return a dict from path to content for the pictures in some texts, if they exist."""
    paths = dict.fromkeys(path for text in texts for path in pictures_in(text))
    files = {path: course.handed_out / path for path in paths}
    return {path: file.read_bytes() for path, file in files.items() if file.is_file()}


def attach(cell: Any, folder: Path) -> None:
    """Attach the pictures in a text cell to that cell. A missing picture stays a link."""
    for path in pictures_in(cell["source"]):
        file = folder / path
        if not file.is_file() or file.suffix.lower() not in KINDS:
            continue
        data = base64.b64encode(file.read_bytes()).decode("ascii")
        cell.setdefault("attachments", {})[file.name] = {KINDS[file.suffix.lower()]: data}
        cell["source"] = cell["source"].replace(f"]({path})", f"](attachment:{file.name})")


def require_pictures(course: Course, exercise: Exercise, text: str) -> None:
    """Refuse a text whose readers could not see its pictures or the descriptions of them.

    Raises:
        UserError: a picture is missing, has a type that notebooks cannot contain, is too large, or
            has no description.
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
    """Yield the description and path of each picture that is a file in the students' folder."""
    for said, path in _SHOWN.findall(text):
        if not _ELSEWHERE.match(path) and ".." not in path.split("/"):
            yield said, path
