"""Page docs/lessons.md: time, prerequisites and pictures of each lesson, from its text."""

import re
from collections.abc import Iterator
from pathlib import Path

from autograder.course.course_file import Course
from lessons.drawn import HERE

PAGE = HERE.parent / "docs" / "lessons.md"
HEAD = """\
# The lessons, at a glance

The time, the prerequisites and the pictures of each lesson. The exercise's file describes each
picture in words. `make figures` draws the pictures and writes this page.
"""
PACE = re.compile(r"^\*About (?:.|\n)*?\*$", re.MULTILINE)
FIGURE = re.compile(r"!\[[^\]]+\]\((figures/[^)]+)\)")


def page(course: Course) -> str:
    """Return the whole page."""
    return "\n".join([HEAD, *_lessons(course)])


def _lessons(course: Course) -> Iterator[str]:
    for number, exercise in enumerate(course.content.exercises, 1):
        text = _words(course.solution_file(exercise.name))
        pace = PACE.search(text)
        assert pace is not None, f"{exercise.name} does not say how long it takes"
        yield f"## {number}. {exercise.title}\n"
        yield f"`{exercise.name}`. {' '.join(pace[0].strip('*').split())}\n"
        for path in FIGURE.findall(text):
            yield f"![A picture of the lesson {exercise.title}](../exercises/{path})\n"


def _words(solution: Path) -> str:
    """Return the text cells of a lesson, without the comment signs."""
    lines = solution.read_text(encoding="utf-8").split("\n")
    return "\n".join(line[2:] for line in lines if line.startswith(("# ", "#")))
