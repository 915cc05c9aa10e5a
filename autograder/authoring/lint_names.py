"""Lint of names in the course's files that nothing has, without running a line."""

import ast
import builtins
import importlib
import importlib.util
import symtable
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType

from autograder.checks.proxy import Submission
from autograder.course.authoring_errors import (
    AuthoringError,
    Function,
    course_text,
    meant,
)
from autograder.course.course_file import Course, Exercise
from autograder.grading.author_exceptions import modules_in, names_of

READS = ("value", "kept_value")


def loaded_modules(folders: Sequence[Path]) -> dict[Path, ModuleType]:
    """Return the modules that were imported from some folders, by their files."""
    found = {}
    for module in list(sys.modules.values()):
        path = Path(getattr(module, "__file__", None) or "")
        if path.suffix == ".py" and any(folder in path.parents for folder in folders):
            found[path] = module
    return dict(sorted(found.items()))


def undefined_names(path: Path, module: ModuleType) -> list[AuthoringError]:
    """Return the names that functions of an imported module use and nobody gave a value."""
    text = course_text(path)
    known = {*vars(module), *dir(builtins)}
    tables = list(_below(symtable.symtable(text.text, str(path), "exec")))
    known |= {
        symbol.get_name()
        for each in tables
        for symbol in each.get_symbols()
        if symbol.is_global() and symbol.is_assigned()
    }
    errors = []
    for each in tables:
        for symbol in each.get_symbols():
            name = symbol.get_name()
            if symbol.is_global() and symbol.is_referenced() and name not in known:
                local = [s.get_name() for s in each.get_symbols() if s.is_local()]
                says = f"the name `{name}` is not defined{near_name(name, [*local, *known])}"
                first = each.get_lineno()
                uses = (n for n in ast.walk(text.tree) if isinstance(n, ast.Name) and n.id == name)
                lines = [node.lineno for node in uses if node.lineno >= first]
                errors.append(AuthoringError(path, min(lines, default=first), says))
    return errors


def near_name(name: str, known: Sequence[str]) -> str:
    """Return the nearest name, for the end of a sentence; of a whole module's names no list."""
    near = meant(name, [each for each in known if not each.startswith("__")])
    return near if near.startswith("; did") else "."


def _below(table: symtable.SymbolTable) -> Iterator[symtable.SymbolTable]:
    """Yield the tables of what stands in a module, without its own: that has run."""
    for child in table.get_children():
        yield child
        yield from _below(child)


def defined_in_solution(course: Course, exercise: Exercise) -> Mapping[str, ast.stmt] | None:
    """Return what the solution gives a name; None where that cannot be told."""
    path = course.solution_file(exercise.name)
    try:
        tree = course_text(path).tree
    except (OSError, SyntaxError, ValueError):
        return None
    found: dict[str, ast.stmt] = {}
    for statement in ast.walk(tree):
        if isinstance(statement, ast.ImportFrom) and any(a.name == "*" for a in statement.names):
            return None
        if isinstance(statement, ast.stmt):
            found |= dict.fromkeys(_given(statement), statement)
    return found


def _given(statement: ast.stmt) -> Iterator[str]:
    """Yield the names that a statement gives a value, wherever it stands."""
    if isinstance(statement, Function | ast.ClassDef):
        yield statement.name
    elif isinstance(statement, ast.Import | ast.ImportFrom):
        for alias in statement.names:
            yield alias.asname or alias.name.split(".")[0]
    else:
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                yield node.id


def errors_in_uses(course: Course, exercise: Exercise) -> list[AuthoringError]:
    """Return where the checks of an exercise ask for a name that nothing has.

    That is a name of the submission which the solution does not define, one of the reference, or a
    question.
    """
    text = course_text(course.checks_file(exercise.name))
    solution = defined_in_solution(course, exercise)
    errors: dict[AuthoringError, None] = {}
    for function in (each for each in ast.walk(text.tree) if isinstance(each, Function)):
        parameters = {each.arg for each in function.args.args}
        for node in ast.walk(function):
            if isinstance(node, ast.Call):
                line = node.args[0].lineno if node.args else node.lineno
                says = [*_wrong_reading(node, exercise, solution)]
            elif isinstance(node, ast.Attribute) and getattr(node.value, "id", "") in parameters:
                line, fixture = node.lineno, ast.unparse(node.value)
                says = [*_wrong_attribute(fixture, node.attr, course, solution)]
            else:
                continue
            errors |= dict.fromkeys(AuthoringError(text.path, line, each) for each in says)
    return list(errors)


def _wrong_attribute(
    fixture: str, name: str, course: Course, solution: Mapping[str, ast.stmt] | None
) -> Iterator[str]:
    """Yield what is wrong with `reference.name` or `submission.name`."""
    package = course.content.reference
    if fixture == "reference":
        module = sys.modules.get(package) or importlib.import_module(package)
        if not (hasattr(module, name) or importlib.util.find_spec(f"{package}.{name}")):
            near = near_name(name, [*names_of(module), *modules_in(package)])
            yield f"the reference, {package}/__init__.py, has no `{name}`{near}"
    defined = {*(solution or ()), *dir(Submission)}
    if fixture == "submission" and solution is not None and name not in defined:
        near = near_name(name, [*solution, *names_of(Submission)])
        yield f"the solution has no `{name}`{near}"


def _wrong_reading(
    node: ast.Call, exercise: Exercise, solution: Mapping[str, ast.stmt] | None
) -> Iterator[str]:
    """Yield what is wrong with `submission.value("a_scores")`, or with an answer to a question."""
    called, first = node.func, node.args[0] if node.args else None
    if not isinstance(called, ast.Attribute) or not isinstance(first, ast.Constant):
        return
    if not isinstance(called.value, ast.Name) or called.value.id != "submission":
        return
    word = str(first.value)
    if called.attr in READS and solution is not None and word not in solution:
        yield f"the solution has no `{word}`{near_name(word, [*solution])}"
    questions = [question.name for question in exercise.questions]
    if called.attr == "answer" and word not in questions:
        yield f"course.yml has no question `{word}`{meant(word, questions)}"
