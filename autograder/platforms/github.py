"""A workflow for GitHub that checks pushed code: results beside the code, and as files."""

from pathlib import Path

import yaml

from autograder.course.course_file import Course
from autograder.course.installation import PACKAGE
from autograder.platforms.bundle import Files, template

WORKFLOW = ".github/workflows/autograder.yml"


def package(course: Course, place: Path) -> Files:
    """Return the workflow for a repository with root `place` that has the course in it."""
    root = course.root.resolve()
    inside = root.relative_to(place.resolve()) if root.is_relative_to(place.resolve()) else None
    folder = "." if inside is None else inside.as_posix()
    text = template("github.yml", INSTALL=_installs(course, place), COURSE=folder)
    yaml.safe_load(text)
    return {WORKFLOW: text}


def _installs(course: Course, place: Path) -> str:
    """Return the requirement for pip: source or wheel in the repository, else the package."""
    torch = any(exercise.needs == "torch" for exercise in course.exercises.values())
    extras = "[students,torch]" if torch else "[students]"
    if (place / "autograder").is_dir() and (place / "pyproject.toml").is_file():
        return f"'.{extras}'"
    wheels = sorted(path.name for path in place.glob("*.whl"))
    return f"'./{wheels[-1]}{extras}'" if wheels else f"'{PACKAGE}{extras}'"
