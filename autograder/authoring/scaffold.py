"""What goes around a released course: how to begin, and what an editor reads."""

from collections.abc import Sequence
from pathlib import Path

import jinja2

from autograder.authoring.kit_files import PACKAGE, WORK, FileForm
from autograder.course.course_file import Course, Exercise
from autograder.course.text import number

# What makes an editor at home in a course that is handed out.


FOLDER = ".vscode"
FILES = ("tasks.json", "settings.json", "extensions.json")
EDITOR_TEMPLATES = Path(__file__).parent / "templates" / "vscode"


def editor_files(exercises: str) -> dict[str, str]:
    """VS Code's tasks and settings, by their paths below the course's folder.

    `exercises` is the folder with the students' files, as seen from there: its checks are what the
    test explorer lists.
    """
    return {
        f"{FOLDER}/{name}": (EDITOR_TEMPLATES / name)
        .read_text(encoding="utf-8")
        .replace("{{ folder }}", exercises)
        for name in FILES
    }


TEMPLATES = Path(__file__).parent / "templates"


def around(
    course: Course, exercises: Sequence[Exercise], form: FileForm, wheel: str, numpy: str
) -> dict[str, str]:
    """The README, what git leaves out, and the editor's files."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )
    environment.filters["points"] = number
    torch = any(exercise.needs == "torch" for exercise in exercises)
    names = {exercise.name for exercise in exercises}
    due = any(each.due and names & set(each.exercises) for each in course.content.assignments)
    readme = environment.get_template("README.md.jinja").render(
        title=course.title,
        wheel=wheel,
        extra="[torch]" if torch else "",
        first=exercises[0].name,
        exercises=exercises,
        due=due,
        form=form,
        package=PACKAGE,
        numpy=numpy,
    )
    return {
        "README.md": readme,
        ".gitignore": ".autograder/\n.venv/\n__pycache__/\n.pytest_cache/\n",
    } | editor_files(WORK)
