"""Text files of a released course, without the records of answers.

Released code has no hidden checks, hints, solutions, comments or docstrings. Students do not get
the reference, so stand-ins replace the names of its modules.
"""

import ast
import dataclasses
import functools
import importlib
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec
import numpy as np
import yaml
from msgspec.structs import replace

from autograder.authoring.build import pictures_of, stub_notebook, stub_text
from autograder.authoring.diagnosis_records import helpers_of
from autograder.authoring.new import TEMPLATES, filled
from autograder.authoring.recording import FIND, is_constant
from autograder.checks.check_result import NOT_IN_KIT
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
_IMPORTS = ast.Import, ast.ImportFrom


class ReleaseOptions(msgspec.Struct, frozen=True):
    exercises: tuple[Exercise, ...]
    policy: HintPolicy
    form: FileForm = "py"
    seeds: int = 3


def text_files(course: Course, options: ReleaseOptions) -> KitFiles:
    """Return all text files of the released course. Its packages must be importable."""
    # never the seed that grades submissions
    seeds = tuple(n for n in range(1, options.seeds + 2) if n != course.content.seed)
    recorded = seeds[: options.seeds]
    made = Released(course=course_digest(course), seeds=recorded, made_with=np.__version__)
    files: KitFiles = {FILE_NAME: course_text(course, options, made)}
    mark = release_mark(made.course)
    for exercise in options.exercises:
        name, form = exercise.name, options.form
        text = script = f"{stub_text(course, exercise).rstrip()}\n\n# %%\n{mark}\n"
        if form == "ipynb":
            text = stub_notebook(course, exercise, last=mark)
        files |= {f"{STUBS}/{name}.py": script, f"{STUBS}/{name}.{form}": text}
        files[f"{WORK}/{name}.{form}"] = text
    return files | code(course, options.exercises, options.policy == "exam")


def pictures(course: Course, files: KitFiles) -> dict[str, bytes]:
    scripts = [files[name] for name in files if re.fullmatch(rf"{WORK}/\w+\.py", name)]
    return {f"{WORK}/{name}": data for name, data in pictures_of(course, scripts).items()}


def course_text(course: Course, options: ReleaseOptions, made: Released) -> str:
    content, exercises = course.content, options.exercises
    names = {exercise.name for exercise in exercises}
    shown = replace(
        content,
        hints=options.policy,
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
    """Return the visible checks of some exercises, and the helper modules that they use."""
    content = course.content
    value = functools.cache(functools.partial(_reference_value, content.reference))
    imports = Imports(content.reference, frozenset(content.helpers), value)

    def handed_out(path: Path, checks: bool) -> str:
        try:
            text = read_text(path, MAX_SOURCE)
        except UnreadableFile as error:
            raise UserError(f"{error} ({path})") from None
        return released(text, path.name, imports, checks, silent)

    files: KitFiles = {}
    for exercise in exercises:
        path = course.checks_file(exercise.name)
        files[f"{CHECKS}/test_{exercise.name}.py"] = handed_out(path, True)
    needed = helpers_of(course, exercises)
    left = {name: module_file(course, name) for name in content.helpers}
    for path in left.values():
        if not path.is_file():
            raise UserError(f"{course.root / FILE_NAME}, field `helpers`: {path} does not exist.")
    while used := [name for name in left if name in needed or _is_used(name, files)]:
        for name in used:
            files[f"{PACKAGE}/{name.replace('.', '/')}.py"] = handed_out(left.pop(name), False)
    folders = {str(Path(each).parent) for each in files} | {CHECKS, PACKAGE}
    return files | {f"{folder}/__init__.py": "" for folder in folders}


def module_file(course: Course, name: str) -> Path:
    return course.root / course.content.reference / f"{name.replace('.', '/')}.py"


def _reference_value(reference: str, name: str) -> Any:
    module, _, last = name.rpartition(".")
    try:
        return getattr(importlib.import_module(f"{reference}.{module}".rstrip(".")), last, None)
    except ModuleNotFoundError:
        return None


def _is_used(helper: str, files: KitFiles) -> bool:
    folder, _, last = helper.rpartition(".")
    package = f"{PACKAGE}.{folder}".rstrip(".")
    used = re.compile(
        rf"\b{re.escape(PACKAGE)}\.{re.escape(helper)}\b"
        rf"|from {re.escape(package)} import [^\n]*\b{last}\b"
        rf"|\b{last}\.py\b"
    )
    return any(used.search(text) for text in files.values())


def surroundings(course: Course, options: ReleaseOptions, wheel: str, numpy: str) -> KitFiles:
    """Return the README of a released course, its .gitignore and settings for editors."""
    exercises = options.exercises
    names = {exercise.name for exercise in exercises}
    values = {
        "title": course.title,
        "wheel": wheel,
        "torch": [exercise.name for exercise in exercises if exercise.needs == "torch"],
        "first": exercises[0].name,
        "exercises": exercises,
        "due": any(each.due and names & set(each.exercises) for each in course.content.assignments),
        "form": options.form,
        "package": PACKAGE,
        "numpy": numpy,
    }
    ignored = ".autograder/\n.venv/\n__pycache__/\n.pytest_cache/\n"
    return {"README.md": filled("README.md", values), ".gitignore": ignored, **editor_files(WORK)}


def editor_files(exercises: str) -> KitFiles:
    """Return VS Code's tasks and settings for a course with students' files in `exercises`."""
    return {
        f".vscode/{name}": (TEMPLATES / "vscode" / name)
        .read_text(encoding="utf-8")
        .replace("{{ folder }}", exercises)
        for name in ("tasks.json", "settings.json", "extensions.json")
    }


@dataclasses.dataclass(frozen=True)
class Imports(ast.NodeTransformer):
    """Transformer that replaces imports from the reference by other modules or stand-ins.

    Each imported name gets its own statement, so unused names can be removed.
    """

    reference: str
    helpers: frozenset[str]  # names of modules
    value: Callable[[str], Any]  # from a name in the reference to its value
    label: str = ""  # of the file

    def visit_Import(self, node: ast.Import) -> list[ast.stmt]:
        for alias in node.names:
            if f"{alias.name}.".startswith(f"{self.reference}."):
                raise self._refused(node, f"import {alias.name}", f"from {alias.name} import …")
        return [ast.Import([alias]) for alias in node.names]

    def visit_ImportFrom(self, node: ast.ImportFrom) -> list[ast.stmt]:
        return [self._replaced(node, alias) for alias in node.names]

    def _replaced(self, node: ast.ImportFrom, alias: ast.alias) -> ast.stmt:
        module = node.module or ""
        if node.level or not f"{module}.".startswith(f"{self.reference}."):
            return ast.ImportFrom(node.module, [alias], node.level)
        inner = module.removeprefix(self.reference).lstrip(".")
        name = f"{inner}.{alias.name}".lstrip(".")
        if inner in self.helpers or name in self.helpers:
            return ast.ImportFrom(f"{PACKAGE}.{inner}".rstrip("."), [alias], 0)
        if alias.name == "*":
            raise self._refused(node, "import *", f"from {module} import NAME")
        value = self.value(name)
        text = repr(value) if is_constant(value) else f"{FIND}({name!r})"
        return ast.parse(f"{alias.asname or alias.name} = {text}").body[0]

    def _refused(self, node: ast.stmt, code: str, better: str) -> UserError:
        place = f"{self.label}, line {node.lineno}"
        return UserError(f"{place}: `{code}` cannot be handed out. Write `{better}`.")


def released(text: str, label: str, imports: Imports, checks: bool, silent: bool = False) -> str:
    """Return the released text of a file. If `silent` is true, it has no messages on mistakes."""
    tree = ast.parse(text, label)
    if checks:
        tree.body = [each for each in tree.body if not is_hidden(each)]
    tree = dataclasses.replace(imports, label=label).visit(tree)
    tree = _Bare(silent).visit(tree)
    if checks:
        tree.body = _used(tree.body)
    body = [each for each in tree.body if getattr(each, "module", "") != "__future__"]
    text = ast.unparse(ast.fix_missing_locations(ast.Module(body=body, type_ignores=[])))
    asks = f"from autograder.author import stand_in as {FIND}\n" if FIND in text else ""
    return f"from __future__ import annotations\n{asks}{text}\n"


def is_hidden(node: ast.stmt) -> bool:
    marks = {ast.unparse(each) for each in getattr(node, "decorator_list", [])}
    return any(f"pytest.mark.{name}" in marks for name in NOT_IN_KIT)


class _Bare(ast.NodeTransformer):
    """Transformer that removes docstrings and hints."""

    def __init__(self, silent: bool) -> None:
        self.silent = silent

    def _without_docstring(self, node: Any) -> Any:
        self.generic_visit(node)
        if ast.get_docstring(node, clean=False) is not None:
            node.body = node.body[1:] or [ast.Pass()]
        return node

    visit_Module = visit_FunctionDef = visit_ClassDef = _without_docstring  # noqa: N815

    def visit_Call(self, node: ast.Call) -> ast.Call:
        node.keywords = [each for each in node.keywords if each.arg != "hints"]
        title = node.args[:1] if ast.unparse(node.func).endswith("mark.check") else []
        self.generic_visit(node)
        node.args[: len(title)] = title
        return node

    def visit_Constant(self, node: ast.Constant) -> ast.Constant:
        is_message = self.silent and isinstance(node.value, str) and _is_sentence(node.value)
        return ast.Constant("") if is_message else node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.expr:
        parts = [each.value for each in node.values if isinstance(each, ast.Constant)]
        is_message = self.silent and _is_sentence("".join(map(str, parts)))
        return ast.Constant("") if is_message else node

    def visit_Assert(self, node: ast.Assert) -> ast.Assert:
        self.generic_visit(node)
        if self.silent:
            node.msg = None
        return node


def _is_sentence(text: str) -> bool:
    return len(text.split()) > 2 and text.rstrip().endswith((".", "?", "!", ":"))


def _used(body: Sequence[ast.stmt]) -> list[ast.stmt]:
    """Return a file's checks, and the functions, fixtures, values and imports that they need."""
    defined: dict[str, list[ast.stmt]] = {}
    for node in body:
        for name in _defines(node):
            defined.setdefault(name, []).append(node)
    waiting = [node for node in body if _is_root(node)]
    kept = set(waiting)
    while waiting:
        needed = {node for name in _names(waiting.pop()) for node in defined.get(name, [])}
        waiting += needed - kept
        kept |= needed
    return [node for node in body if node in kept]


def _is_root(node: ast.stmt) -> bool:
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return node.name.startswith(("test_", "Test"))
    return not isinstance(node, (*_IMPORTS, ast.Assign, ast.AnnAssign))


def _defines(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return [node.name]
    if isinstance(node, _IMPORTS):
        return [(each.asname or each.name).partition(".")[0] for each in node.names]
    if isinstance(node, ast.Assign | ast.AnnAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        return [each.id for t in targets for each in ast.walk(t) if isinstance(each, ast.Name)]
    return []


def _names(statement: ast.AST) -> Iterator[str]:
    for node in ast.walk(statement):
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("usefixtures"):
            yield from (str(a.value) for a in node.args if isinstance(a, ast.Constant))
