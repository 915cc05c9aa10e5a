"""`autograder new`: a course, or an exercise of one, as files that `autograder verify` accepts."""

import json
import keyword
import re
import sys
import textwrap
from collections.abc import Mapping
from pathlib import Path

import jinja2
import yaml

from autograder.authoring.build import build_exercise
from autograder.checks.proxy import Submission
from autograder.course.course_file import (
    FILE_NAME,
    Course,
    Exercise,
    Library,
    load_course,
    parse_course,
)
from autograder.course.errors import UserError
from autograder.course.files import write_atomically
from autograder.course.text import one_line

# One exercise more in a `course.yml`, with everything else in it left as it is.


def with_exercise(path: Path, entry: str) -> str:
    """The text of a `course.yml` with an entry after the last exercise.

    Raises:
        UserError: there is no way to add it that leaves the rest as it is; it says what to add.
    """
    before = load_course(path).content
    text = path.read_text(encoding="utf-8")
    exercises = _exercises(text)
    lines = text.splitlines()
    if not exercises.flow_style:
        indent = " " * exercises.start_mark.column
        end = _last_line(exercises.value[-1]) + 1
        blank = [""] if "" in lines[exercises.start_mark.line : end] else []
        new = [indent + line for line in textwrap.dedent(entry).splitlines()]
        changed = "\n".join([*lines[:end], *blank, *new, *lines[end:]]) + "\n"
        try:
            after = parse_course(path, changed).content
        except UserError:
            pass
        else:
            if after.exercises[:-1] == before.exercises and after.assignments == before.assignments:
                return changed
    raise UserError(
        f"{path} is written in a way that nothing can be added to. Add this to its `exercises:` "
        f"yourself, and run the command again:\n{entry}"
    )


def _exercises(text: str) -> yaml.SequenceNode:
    """The list of exercises of a course's file that is sound."""
    tree = yaml.compose(text, Loader=yaml.SafeLoader)
    assert isinstance(tree, yaml.MappingNode)
    found = next(value for key, value in tree.value if key.value == "exercises")
    assert isinstance(found, yaml.SequenceNode)
    return found


def _last_line(node: yaml.Node) -> int:
    """The line (from 0) on which a node ends, without the comments after it."""
    if isinstance(node, yaml.CollectionNode) and not node.flow_style and node.value:
        last = node.value[-1]
        return _last_line(last[1] if isinstance(last, tuple) else last)
    ends = node.end_mark
    return int(ends.line - (ends.column == 0 and ends.line > node.start_mark.line))


PACKAGES = ("checks", "misconceptions", "variants", "modules")  # of a reference, by their names
YAML_WORDS = {"true", "false", "yes", "no", "on", "off", "null", "y", "n"}
TEMPLATES = Path(__file__).parent / "templates"


def new_course(
    folder: Path, title: str, exercise: str, needs: Library
) -> tuple[Course, list[Path]]:
    """A new course with one exercise; gives it, and the files that were written.

    Raises:
        UserError: the folder is a course already or a file is in the way, or the exercise cannot
            have that name; nothing is written then.
    """
    path = folder / FILE_NAME
    if path.exists():
        raise UserError(
            f"{path} is there already. For one exercise more, in that folder: "
            f"autograder new exercise NAME"
        )
    _fit_for_a_name(exercise)
    shown = {"name": exercise, "needs": needs, "quoted_title": _quoted(_title("", exercise))}
    entry = _filled("entry.yml", shown)
    text = _filled(
        "course.yml",
        {"quoted_title": _quoted(_title(title, folder.resolve().name)), "entry": entry},
    )
    course = parse_course(path, text)
    files = _files(course, exercise)
    if not (folder / ".gitignore").exists():
        files[folder / ".gitignore"] = _filled("gitignore", {})
    written = _written({path: text, **files})
    return course, [*written, *_built(course, exercise)]


def new_exercise(course: Course, name: str, title: str, needs: Library) -> list[Path]:
    """A new exercise at the end of a course; gives the files that were written.

    One that is in `course.yml` already gets the files that it says.

    Raises:
        UserError: a file is in the way, the exercise cannot have that name, or `course.yml` is
            written in a way that nothing can be added to; nothing is written then.
    """
    _fit_for_a_name(name)
    if name in course.exercises:
        return [*_written(_files(course, name)), *_built(course, name)]
    path = course.root / FILE_NAME
    shown = {"name": name, "needs": needs, "quoted_title": _quoted(_title(title, name))}
    text = with_exercise(path, _filled("entry.yml", shown))
    added = parse_course(path, text)
    written = _written(_files(added, name))
    write_atomically(path, text)
    return [*written, *_built(added, name), path]


def _files(course: Course, name: str) -> dict[Path, str]:
    """An exercise's files, and the packages of a course that has none yet."""
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
    _free([*files, *_handed_out(course, exercise)])
    return {path: _filled(template, values) for path, template in {**new, **files}.items()}


def _handed_out(course: Course, exercise: Exercise) -> list[Path]:
    return [course.handed_out / f"{exercise.name}{suffix}" for suffix in (".py", ".ipynb")]


def _built(course: Course, name: str) -> list[Path]:
    """The files for students, made of the solution."""
    return _written(build_exercise(course, course.exercise(name)))


def _free(paths: list[Path]) -> None:
    taken = [str(path) for path in paths if path.exists() or path.is_symlink()]
    if taken:
        raise UserError(f"Nothing is overwritten, and there is already: {', '.join(taken)}.")


def _written(files: Mapping[Path, str]) -> list[Path]:
    for path, text in files.items():
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("x", encoding="utf-8", newline="\n") as file:
                file.write(text)
        except OSError as error:
            raise UserError(f"{path} cannot be written: {error.strerror}.") from None
    return list(files)


def _filled(template: str, values: Mapping[str, object]) -> str:
    made = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        undefined=jinja2.StrictUndefined,
        keep_trailing_newline=True,
        autoescape=False,  # it is Python and YAML
    )
    return made.get_template(f"{template}.jinja").render(values)


def _title(given: str, name: str) -> str:
    return one_line(given, 120) or name.replace("_", " ").strip().capitalize() or "A course"


def _quoted(title: str) -> str:
    """A title as YAML has it: plain where that is safe."""
    plain = re.fullmatch(r"[A-Za-z][\w ,.?()-]*", title) and title.lower() not in YAML_WORDS
    return title if plain else json.dumps(title, ensure_ascii=False)


def _fit_for_a_name(name: str) -> None:
    """An exercise's name is that of files, of a module, and here of a function too.

    Raises:
        UserError: it cannot be all of that; it says why.
    """
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name) or keyword.iskeyword(name):
        raise UserError(
            f"{name!r} cannot be an exercise's name: it is a function's too, so it has to be of "
            f"letters, digits and _, such as word_count."
        )
    if name in {*sys.stdlib_module_names, "numpy", "torch", "matplotlib"}:
        raise UserError(f"{name} is the name of a module that students import; choose another.")
    if name in PACKAGES or hasattr(Submission, name):
        raise UserError(
            f"{name} is a name that the checks have for something else; choose another."
        )
