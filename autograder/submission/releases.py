"""Work that was begun in a released course, and whether the course is another by now."""

import functools
import hashlib
import re
from collections.abc import Iterable, Iterator

from autograder.course import FILE_NAME, Course
from autograder.submission.source import Source
from autograder.text import few

HANDED_OUT = re.compile(r"# Handed out as ([0-9a-f]{12}):")
MAX_SHOWN = 4
LINE = "# Handed out as {}: leave this line as it is."


def course_digest(course: Course) -> str:
    """What a course's checks, answers and texts are known by: another course has another digest."""
    digest = hashlib.sha256()
    folders = [*course.grading, course.solutions]
    files = [file for folder in folders for file in sorted(folder.rglob("*.py"))]
    for file in [course.root / FILE_NAME, *files]:
        name = file.relative_to(course.root).as_posix().encode()
        digest.update(b"\0".join((name, file.read_bytes(), b"")))
    return digest.hexdigest()[:12]


def with_mark(text: str, digest: str) -> str:
    """An exercise's text that says which release it is of."""
    return f"{text.rstrip()}\n\n# %%\n{mark_of(digest)}\n"


def mark_of(digest: str) -> str:
    """The line by which a file says which release it is of."""
    return LINE.format(digest)


def older_releases(course: Course, sources: Iterable[Source]) -> Iterator[str]:
    """A word on the files that each earlier release of the course handed out."""
    older: dict[str, list[str]] = {}
    for source in sources:
        found = HANDED_OUT.search(source.text)
        if found is not None and found[1] != _digest(course):
            older.setdefault(found[1], []).append(source.label)
    for digest, labels in older.items():
        one = len(labels) == 1
        yield (
            f"{few(labels, MAX_SHOWN)} {'is' if one else 'are'} of another release of the course "
            f"({digest}); {'it is' if one else 'they are'} graded by the course as it is now."
        )


@functools.lru_cache(maxsize=8)
def _digest(course: Course) -> str:
    return course_digest(course)
