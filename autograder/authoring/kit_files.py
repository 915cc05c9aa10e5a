"""Text files of a released course. The records of answers are not among these files."""

import functools
import importlib
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec
import numpy as np
import yaml
from msgspec.structs import replace

from autograder.authoring.build import stub_notebook, stub_text
from autograder.authoring.diagnosis_records import helpers_of
from autograder.authoring.new import TEMPLATES, filled
from autograder.authoring.pictures import pictures_of
from autograder.authoring.released_code import Naming, released
from autograder.course.course_file import FILE_NAME, Course, Exercise, HintPolicy, Released
from autograder.course.errors import UserError
from autograder.submission.read import UnreadableFile, read_text
from autograder.submission.source import MAX_SOURCE
from autograder.submission.stubs import course_digest, release_mark

PACKAGE = "released"
CHECKS, STUBS = f"{PACKAGE}/checks", f"{PACKAGE}/handed_out"
WORK = "exercises"
FileForm = Literal["py", "ipynb"]
KitFiles = dict[str, str]
_FOLDERS = ("reference", "checks", "solutions", "right", "helpers", "handed_out")
_NOT_FOR_STUDENTS = (*_FOLDERS, "late", "export")


def text_files(
    course: Course, exercises: Sequence[Exercise], policy: HintPolicy, form: FileForm, seeds: int
) -> KitFiles:
    """Return all text files of the released course. The packages of the course must be importable.

    Raises:
        UserError: one of the files may not be given to students; the message says why.
    """
    # never the seed that grades submissions
    recorded = tuple(seed for seed in range(1, seeds + 2) if seed != course.content.seed)[:seeds]
    made = Released(course=course_digest(course), seeds=recorded, made_with=np.__version__)
    files: KitFiles = {FILE_NAME: course_text(course, exercises, policy, made)}
    mark = release_mark(made.course)
    for exercise in exercises:
        name = exercise.name
        text = script = f"{stub_text(course, exercise).rstrip()}\n\n# %%\n{mark}\n"
        if form == "ipynb":
            text = stub_notebook(course, exercise, last=mark)
        files |= {f"{STUBS}/{name}.py": script, f"{STUBS}/{name}.{form}": text}
        files[f"{WORK}/{name}.{form}"] = text
    return files | code(course, exercises, policy == "exam")


def pictures(course: Course, files: KitFiles) -> dict[str, bytes]:
    """Return the pictures in a released course's scripts. Notebooks contain their own copies."""
    scripts = [files[name] for name in files if re.fullmatch(rf"{WORK}/\w+\.py", name)]
    return {f"{WORK}/{name}": data for name, data in pictures_of(course, scripts).items()}


def course_text(
    course: Course, exercises: Sequence[Exercise], policy: HintPolicy, made: Released
) -> str:
    """Return the text of the `course.yml` that students get."""
    content = course.content
    names = {exercise.name for exercise in exercises}
    shown = replace(
        content,
        hints=policy,
        seed=made.seeds[0],
        exercises=tuple(
            replace(each, questions=tuple(replace(q, rubric=()) for q in each.questions))
            for each in exercises
        ),
        assignments=tuple(
            replace(each, exercises=tuple(n for n in each.exercises if n in names))
            for each in content.assignments
            if names & set(each.exercises)
        ),
        released=made,
    )
    plain: dict[str, Any] = _without_defaults(shown)
    for name in _NOT_FOR_STUDENTS:
        plain.pop(name, None)
    plain |= {"reference": PACKAGE, "checks": CHECKS, "solutions": STUBS}
    text = yaml.safe_dump(plain, sort_keys=False, allow_unicode=True, width=100)
    return f"# Written by `autograder release`: leave it as it is.\n{text}"


def _without_defaults(record: Any) -> Any:
    """Return a record as plain data. Fields with their default value are left out."""
    if isinstance(record, tuple):
        return [_without_defaults(each) for each in record]
    if not isinstance(record, msgspec.Struct):
        return msgspec.to_builtins(record)
    return {
        field.name: _without_defaults(value)
        for field in msgspec.structs.fields(record)
        if (value := getattr(record, field.name)) != field.default
    }


def code(course: Course, exercises: Sequence[Exercise], silent: bool) -> KitFiles:
    """Return the visible checks of some exercises, and the helper modules that the checks use."""
    content = course.content

    @functools.cache
    def value(name: str) -> Any:
        module, _, last = name.rpartition(".")
        try:
            found = importlib.import_module(f"{content.reference}.{module}".rstrip("."))
        except ModuleNotFoundError:
            return None
        return getattr(found, last, None)

    naming = Naming(content.reference, PACKAGE, frozenset(content.helpers), value)

    def handed_out(path: Path, checks: bool) -> str:
        try:
            text = read_text(path, MAX_SOURCE)
        except UnreadableFile as error:
            raise UserError(f"{error} ({path})") from None
        return released(text, path.name, naming, checks, silent)

    files: KitFiles = {
        f"{CHECKS}/test_{exercise.name}.py": handed_out(course.checks_file(exercise.name), True)
        for exercise in exercises
    }
    root, also = course.root / content.reference, helpers_of(course, exercises)
    left = {name: root / f"{name.replace('.', '/')}.py" for name in content.helpers}
    absent = [name for name, path in left.items() if not path.is_file()]
    if absent:
        raise UserError(
            f"{course.root / FILE_NAME}, field `helpers`: {left[absent[0]]} does not exist."
        )
    while found := {n: path for n, path in left.items() if n in also or _is_used(n, files)}:
        for name, path in found.items():
            del left[name]
            files[f"{PACKAGE}/{name.replace('.', '/')}.py"] = handed_out(path, False)
    folders = {str(Path(each).parent) for each in files} | {CHECKS, PACKAGE}
    return files | {f"{folder}/__init__.py": "" for folder in folders}


def _is_used(helper: str, files: KitFiles) -> bool:
    """Return whether the code that students get imports a helper module or names its file."""
    folder, _, last = helper.rpartition(".")
    package = f"{PACKAGE}.{folder}".rstrip(".")
    used = re.compile(
        rf"\b{re.escape(PACKAGE)}\.{re.escape(helper)}\b"
        rf"|from {re.escape(package)} import [^\n]*\b{last}\b"
        rf"|\b{last}\.py\b"
    )
    return any(used.search(text) for text in files.values())


def surroundings(
    course: Course, exercises: Sequence[Exercise], form: FileForm, wheel: str, numpy: str
) -> KitFiles:
    """Return the README of a released course, its .gitignore and the editor's files."""
    names = {exercise.name for exercise in exercises}
    values = {
        "title": course.title,
        "wheel": wheel,
        "torch": [exercise.name for exercise in exercises if exercise.needs == "torch"],
        "first": exercises[0].name,
        "exercises": exercises,
        "due": any(each.due and names & set(each.exercises) for each in course.content.assignments),
        "form": form,
        "package": PACKAGE,
        "numpy": numpy,
    }
    readme = filled("README.md", values)
    ignored = ".autograder/\n.venv/\n__pycache__/\n.pytest_cache/\n"
    return {"README.md": readme, ".gitignore": ignored, **editor_files(WORK)}


def editor_files(exercises: str) -> KitFiles:
    """Return VS Code's tasks and settings for a course with the students' files in `exercises`."""
    return {
        f".vscode/{name}": (TEMPLATES / "vscode" / name)
        .read_text(encoding="utf-8")
        .replace("{{ folder }}", exercises)
        for name in ("tasks.json", "settings.json", "extensions.json")
    }
