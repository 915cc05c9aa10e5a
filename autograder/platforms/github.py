"""A workflow for GitHub that checks what is pushed: its results beside the code, and as files."""

from pathlib import Path

import yaml

from autograder.course.course_file import Course
from autograder.course.installation import PACKAGE
from autograder.platforms.bundle import Files, template

WORKFLOW = ".github/workflows/autograder.yml"


def package(course: Course, place: Path) -> Files:
    """The workflow, for a repository whose root is `place` and that has the course in it."""
    root = course.root.resolve()
    inside = root.relative_to(place.resolve()) if root.is_relative_to(place.resolve()) else None
    folder = "." if inside is None else inside.as_posix()
    text = template("github.yml", INSTALL=_installs(course, place), COURSE=folder)
    yaml.safe_load(text)
    return {WORKFLOW: text}


def _installs(course: Course, place: Path) -> str:
    """What pip is to install: the engine's source or its wheel, if the repository has it."""
    torch = any(exercise.needs == "torch" for exercise in course.exercises.values())
    extras = "[students,torch]" if torch else "[students]"
    if (place / "autograder").is_dir() and (place / "pyproject.toml").is_file():
        return f"'.{extras}'"
    wheels = sorted(path.name for path in place.glob("*.whl"))
    return f"'./{wheels[-1]}{extras}'" if wheels else f"'{PACKAGE}{extras}'"
