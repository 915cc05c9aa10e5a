"""Files of a new course or exercise, for `autograder new`. `verify` accepts these files."""

import contextlib
import json
import keyword
import re
import sys
import textwrap
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jinja2
import yaml

from autograder.authoring.build import build_exercise
from autograder.checks.proxy import Submission
from autograder.course.course_file import FILE_NAME, Course, Library, load_course, parse_course
from autograder.course.errors import UserError
from autograder.course.files import refuse_unwritable, write_atomically
from autograder.course.text import number, one_line

PACKAGES = ("checks", "misconceptions", "variants", "modules")  # packages in the course's reference
YAML_WORDS = {"true", "false", "yes", "no", "on", "off", "null", "y", "n"}
TEMPLATES = Path(__file__).parent / "templates"


def with_exercise(path: Path, entry: str) -> str:
    """Return the text of a `course.yml` with a new entry after the last exercise."""
    before = load_course(path).content
    text = path.read_text(encoding="utf-8")
    tree = yaml.compose(text, Loader=yaml.SafeLoader)
    assert isinstance(tree, yaml.MappingNode)  # the text loads as a course
    exercises = value_of(tree, "exercises")
    if not exercises.flow_style:
        lines = text.splitlines()
        indent = " " * exercises.start_mark.column
        end = last_line(exercises.value[-1]) + 1
        blank = [""] if "" in lines[exercises.start_mark.line : end] else []
        new = [indent + line for line in textwrap.dedent(entry).splitlines()]
        changed = "\n".join([*lines[:end], *blank, *new, *lines[end:]]) + "\n"
        with contextlib.suppress(UserError):
            after = parse_course(path, changed).content
            if after.exercises[:-1] == before.exercises and after.assignments == before.assignments:
                return changed
    raise UserError(
        f"autograder cannot add the exercise to {path}. Add this to its `exercises:` yourself, and "
        f"run the command again:\n{entry}"
    )


def in_assignment(path: Path, text: str, assignment: str, name: str) -> str:
    """Return the text of a `course.yml` with a new exercise at the end of an assignment."""
    tree: Any = yaml.compose(text, Loader=yaml.SafeLoader)
    listed = value_of(tree, "assignments").value
    node = next(each for each in listed if value_of(each, "name").value == assignment)
    exercises = value_of(node, "exercises")
    if exercises.flow_style:
        end = exercises.end_mark.index - 1
        item = f"{', ' * bool(exercises.value)}{name}"
    else:
        end = exercises.value[-1].end_mark.index
        item = f"\n{' ' * exercises.start_mark.column}- {name}"
    changed = text[:end] + item + text[end:]
    parse_course(path, changed)
    return changed


def value_of(node: Any, key: str) -> Any:
    return next(value for name, value in node.value if name.value == key)


def last_line(node: yaml.Node) -> int:
    """Return the last line number (from 0) of a node, without comments after it."""
    if isinstance(node, yaml.CollectionNode) and not node.flow_style and node.value:
        last = node.value[-1]
        return last_line(last[1] if isinstance(last, tuple) else last)
    ends = node.end_mark
    return int(ends.line - (ends.column == 0 and ends.line > node.start_mark.line))


def new_course(
    folder: Path, title: str, exercise: str, needs: Library
) -> tuple[Course, list[Path]]:
    path = folder / FILE_NAME
    if path.exists():
        raise UserError(
            f"{path} exists. To add an exercise to that course, run in its folder: autograder new "
            f"exercise NAME"
        )
    title = _quoted(_title(title, folder.resolve().name))
    text = filled("course.yml", {"quoted_title": title, "entry": _entry(exercise, "", needs)})
    course = parse_course(path, text)
    files = {path: text, **_files(course, exercise)}
    if not (folder / ".gitignore").exists():
        files[folder / ".gitignore"] = filled("gitignore", {})
    return course, _write(course, exercise, files)


def new_exercise(
    course: Course, name: str, title: str, needs: Library, assignment: str = ""
) -> list[Path]:
    """Add an exercise to a course, or only its files if `course.yml` lists it. Return the files."""
    entry = _entry(name, title, needs)
    if name in course.exercises:
        return _write(course, name, _files(course, name))
    path = course.root / FILE_NAME
    text = with_exercise(path, entry)
    if assignment:
        text = in_assignment(path, text, course.assignment(assignment).name, name)
    added = parse_course(path, text)
    written = _write(added, name, _files(added, name))
    write_atomically(path, text)
    return [*written, path]


def _entry(name: str, title: str, needs: Library) -> str:
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name) or keyword.iskeyword(name):
        raise UserError(
            f"{name!r} cannot be an exercise's name. The exercise's function gets this name too, "
            f"so use only letters, digits and `_`. Example: word_count."
        )
    if name in {*sys.stdlib_module_names, "numpy", "torch", "matplotlib"}:
        raise UserError(f"{name} is the name of a module that students import. Choose another.")
    if name in PACKAGES or hasattr(Submission, name):
        raise UserError(f"The checks use the name {name} for something else. Choose another name.")
    quoted = _quoted(_title(title, name))
    return filled("entry.yml", {"name": name, "needs": needs, "quoted_title": quoted})


def _files(course: Course, name: str) -> dict[Path, str]:
    exercise = course.exercise(name)
    values = {
        "name": name,
        "title": exercise.title,
        "reference": course.content.reference,
        "torch": exercise.needs == "torch",
    }
    reference = course.root / course.content.reference
    checks = course.checks_file(name)
    packages = {
        reference / "__init__.py": "reference.py",
        reference / "misconceptions" / "__init__.py": "misconceptions.py",
        checks.parent / "__init__.py": "checks.py",
    }
    files = {
        course.solution_file(name): "solution.py",
        reference / f"{name}.py": "answer.py",
        checks: "check.py",
        reference / "misconceptions" / f"{name}.py": "misconception.py",
        course.root / course.content.right / name / "by_loop.py": "style.py",
    }
    new = {path: template for path, template in packages.items() if not path.exists()}
    built = [course.handed_out / f"{name}{suffix}" for suffix in (".py", ".ipynb")]
    taken = [str(path) for path in [*files, *built] if path.exists() or path.is_symlink()]
    if taken:
        raise UserError(f"Nothing was written, since these files exist: {', '.join(taken)}.")
    return {path: filled(template, values) for path, template in {**new, **files}.items()}


def _write(course: Course, name: str, files: Mapping[Path, str]) -> list[Path]:
    _write_new(files)
    built = build_exercise(course, course.exercise(name))
    _write_new(built)
    return [*files, *built]


def _write_new(files: Mapping[Path, str]) -> None:
    for path, text in files.items():
        with refuse_unwritable(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("x", encoding="utf-8", newline="\n") as file:
                file.write(text)


def filled(template: str, values: Mapping[str, object]) -> str:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # the templates are Python, YAML and Markdown
    )
    environment.filters["points"] = number
    return environment.get_template(f"{template}.jinja").render(values)


def _title(given: str, name: str) -> str:
    return one_line(given, 120) or name.replace("_", " ").strip().capitalize() or "A course"


def _quoted(title: str) -> str:
    plain = re.fullmatch(r"[A-Za-z][\w ,.?()-]*", title) and title.lower() not in YAML_WORDS
    return title if plain else json.dumps(title, ensure_ascii=False)
