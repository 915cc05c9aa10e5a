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
    torch = any(exercise.needs == "torch" for exercise in course.exercises.values())
    extras = "[students,torch]" if torch else "[students]"
    wheels = sorted(path.name for path in place.glob("*.whl"))
    if (place / "autograder").is_dir() and (place / "pyproject.toml").is_file():
        source = "."
    else:
        source = f"./{wheels[-1]}" if wheels else PACKAGE
    text = template("github.yml", INSTALL=f"'{source}{extras}'", COURSE=folder)
    yaml.safe_load(text)
    return {WORKFLOW: text}
