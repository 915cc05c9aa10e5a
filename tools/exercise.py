"""Rename or remove an exercise of a course: its files, and its name in course.yml.

    python -m tools.exercise rename OLD NEW [--course FOLDER]
    python -m tools.exercise remove NAME [--yes] [--course FOLDER]

Run it in this repository. Commit your work first, so that git can undo it.
"""

import io
import itertools
import re
import shutil
import tokenize
from pathlib import Path
from typing import Any

import click
import yaml

from autograder.authoring.build import build_exercise
from autograder.authoring.new import last_line, value_of
from autograder.course.course_file import (
    FILE_NAME,
    Course,
    find_course,
    load_course,
    parse_course,
)
from autograder.course.errors import UserError
from autograder.course.files import write_atomically


def own_files(course: Course, name: str) -> list[Path]:
    """Return the files and folders that belong only to an exercise."""
    reference, right = course.root / course.content.reference, course.root / course.content.right
    folders = (reference / "misconceptions", reference / "variants", right, right.parent / "wrong")
    paths = [course.solution_file(name), course.checks_file(name), reference / f"{name}.py"]
    paths += [folder / f"{name}{suffix}" for folder in folders for suffix in ("", ".py")]
    paths += [reference / "misconceptions" / "named" / name]
    paths += [course.handed_out / f"{name}{suffix}" for suffix in (".py", ".ipynb")]
    return [path for path in paths if path.exists()]


def rename_exercise(course: Course, old: str, new: str) -> list[Path]:
    """Rename an exercise: its files, and its name in them, in course.yml and in imports."""
    course.exercise(old)
    moves = {path: path.with_name(path.name.replace(old, new)) for path in own_files(course, old)}
    taken = [str(path) for path in moves.values() if path.exists()]
    if taken or new in course.exercises:
        raise UserError(f"Nothing was renamed, since these exist: {', '.join(taken) or new}.")
    imported = re.compile(rf"(?<=\.){old}(?= import\b)")
    for path, target in moves.items():
        path.rename(target)
    own = {file for path in moves.values() for file in [path, *path.rglob("*.py")]}
    for file in {*own, *(course.root / course.content.reference).rglob("*.py")}:
        if file.suffix == ".py":
            text = file.read_text(encoding="utf-8")
            changed = _in_code(text, old, new) if file in own else imported.sub(new, text)
            write_atomically(file, changed)
    for path in (course.root / FILE_NAME, course.solutions / "equivalent.yml"):
        if path.is_file():
            write_atomically(path, _renamed(path.read_text(encoding="utf-8"), old, new))
    renamed = load_course(course.root / FILE_NAME)
    for path, text in build_exercise(renamed, renamed.exercise(new)).items():
        write_atomically(path, text)
    return list(moves.values())


def _in_code(text: str, old: str, new: str) -> str:
    """Return Python code in which names, and names in quotes or backticks, are replaced.

    The names of requirements in `grades` and the text of the lesson are not changed.
    """
    starts = [0, *itertools.accumulate(map(len, text.splitlines(keepends=True)))]
    quoted = re.compile(rf"(?<=`){old}(?=[`(.])")
    for token in reversed([*tokenize.generate_tokens(io.StringIO(text).readline)]):
        start, end = (starts[row - 1] + column for row, column in (token.start, token.end))
        is_name = token.type == tokenize.NAME and token.string == old
        if token.type == tokenize.STRING and "grades" not in token.line:
            is_name = token.string[1:-1] == old
            start, end = start + is_name, end - is_name
        part = new if is_name else text[start:end]
        if token.type in {tokenize.STRING, tokenize.COMMENT}:
            part = quoted.sub(new, part)
        text = text[:start] + part + text[end:]
    return text


def _renamed(text: str, old: str, new: str) -> str:
    """Return a YAML text in which each value and key `old` is `new`."""
    nodes = yaml.parse(text, Loader=yaml.SafeLoader)
    scalars = [e for e in nodes if isinstance(e, yaml.ScalarEvent) and e.value == old]
    for each in reversed(scalars):
        text = text[: each.start_mark.index] + new + text[each.end_mark.index :]
    return text


def remove_exercise(course: Course, name: str) -> list[Path]:
    """Remove an exercise's files, and the exercise from course.yml. Return the removed paths."""
    path = course.root / FILE_NAME
    text = path.read_text(encoding="utf-8")
    tree: Any = yaml.compose(text, Loader=yaml.SafeLoader)
    lists = [value_of(tree, "exercises")]
    if course.content.assignments:
        lists += [value_of(each, "exercises") for each in value_of(tree, "assignments").value]
    for items in reversed(lists):
        for place, item in reversed([*enumerate(items.value)]):
            if (value_of(item, "name").value if items is lists[0] else item.value) == name:
                text = _without(text, items, place)
    parse_course(path, text)
    removed = own_files(course, name)
    for each in removed:
        shutil.rmtree(each) if each.is_dir() else each.unlink()
    write_atomically(path, text)
    return removed


def _without(text: str, items: Any, place: int) -> str:
    """Return a YAML text without one item of a list."""
    item = items.value[place]
    if items.flow_style:
        start, end = item.start_mark.index, item.end_mark.index
        if place:
            start = items.value[place - 1].end_mark.index
        elif len(items.value) > 1:
            end = items.value[1].start_mark.index
        return text[:start] + text[end:]
    lines = text.splitlines(keepends=True)
    return "".join([*lines[: item.start_mark.line], *lines[last_line(item) + 1 :]])


@click.group()
def main() -> None:
    """Rename or remove an exercise."""


folder = click.option("--course", "path", type=click.Path(path_type=Path), default=None)


@main.command()
@click.argument("old")
@click.argument("new")
@folder
def rename(old: str, new: str, path: Path | None) -> None:
    """Rename the exercise OLD."""
    print(*rename_exercise(find_course(Path.cwd(), named=path), old, new), sep="\n")


@main.command()
@click.argument("name")
@click.option("--yes", is_flag=True, help="Remove the files that the command lists without it.")
@folder
def remove(name: str, yes: bool, path: Path | None) -> None:
    """Remove an exercise."""
    course = find_course(Path.cwd(), named=path)
    print(*(remove_exercise if yes else own_files)(course, course.exercise(name).name), sep="\n")
    if not yes:
        print("Nothing was removed. Add --yes to remove these files.")


if __name__ == "__main__":
    main()
