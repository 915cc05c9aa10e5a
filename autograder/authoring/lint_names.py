"""Names in the course's files that nothing has: found without running a line."""

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
    CourseText,
    Function,
    course_text,
    meant,
)
from autograder.course.course_file import Course, Exercise
from autograder.grading.author_exceptions import modules_in, names_of

READS = ("value", "kept_value")


def loaded_modules(folders: Sequence[Path]) -> dict[Path, ModuleType]:
    """The modules that were imported from some folders, by their files."""
    found = {}
    for module in list(sys.modules.values()):
        path = Path(getattr(module, "__file__", None) or "")
        if path.suffix == ".py" and any(folder in path.parents for folder in folders):
            found[path] = module
    return dict(sorted(found.items()))


def undefined_names(path: Path, module: ModuleType) -> list[AuthoringError]:
    """Names that functions of an imported module use, and that nobody has given a value."""
    text = course_text(path)
    known = {*vars(module), *dir(builtins)}
    table = symtable.symtable(text.text, str(path), "exec")
    tables = list(_below(table))
    known |= {
        symbol.get_name()
        for each in tables
        for symbol in each.get_symbols()
        if symbol.is_global() and symbol.is_assigned()
    }
    slips = []
    for each in tables:
        for symbol in each.get_symbols():
            name = symbol.get_name()
            if symbol.is_global() and symbol.is_referenced() and name not in known:
                local = [s.get_name() for s in each.get_symbols() if s.is_local()]
                says = f"the name `{name}` is not defined{meant_here(name, [*local, *known])}"
                slips.append(
                    AuthoringError(path, _line_of(text.tree, name, each.get_lineno()), says)
                )
    return slips


def meant_here(name: str, known: Sequence[str]) -> str:
    """The nearest name; of a whole module's names no list."""
    near = meant(name, [each for each in known if not each.startswith("__")])
    return near if near.startswith("; did") else "."


def _below(table: symtable.SymbolTable) -> Iterator[symtable.SymbolTable]:
    """The tables of what stands in a module: of the module itself, what ran is known to be fine."""
    for child in table.get_children():
        yield child
        yield from _below(child)


def _line_of(tree: ast.Module, name: str, first: int) -> int:
    lines = [n.lineno for n in ast.walk(tree) if isinstance(n, ast.Name) and n.id == name]
    return min((line for line in lines if line >= first), default=first)


def defined_in_solution(course: Course, exercise: Exercise) -> Mapping[str, ast.stmt] | None:
    """What the solution gives a name at its top level; None where that cannot be told."""
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
    """The names that a statement gives a value, wherever it stands."""
    if isinstance(statement, Function | ast.ClassDef):
        yield statement.name
    elif isinstance(statement, ast.Import | ast.ImportFrom):
        for alias in statement.names:
            yield alias.asname or alias.name.split(".")[0]
    else:
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                yield node.id


class Uses:
    """What the checks of an exercise ask of the submission and of the reference."""

    def __init__(self, course: Course, exercise: Exercise) -> None:
        self.course = course
        self.exercise = exercise
        self.text: CourseText = course_text(course.checks_file(exercise.name))
        self.solution = defined_in_solution(course, exercise)

    def errors(self) -> list[AuthoringError]:
        """Return the names that the solution, or the reference, does not have."""
        found: list[AuthoringError] = []
        for function in ast.walk(self.text.tree):
            if not isinstance(function, Function):
                continue
            parameters = {each.arg for each in function.args.args}
            for node in ast.walk(function):
                if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                    if node.value.id == "reference" and "reference" in parameters:
                        found += self._of_reference(node)
                    elif node.value.id == "submission" and "submission" in parameters:
                        found += self._of_submission(node)
                elif isinstance(node, ast.Call):
                    found += self._read(node)
        return list(dict.fromkeys(found))

    def _of_reference(self, node: ast.Attribute) -> Iterator[AuthoringError]:
        package = self.course.content.reference
        module = sys.modules.get(package) or importlib.import_module(package)
        if hasattr(module, node.attr) or importlib.util.find_spec(f"{package}.{node.attr}"):
            return
        known = [*names_of(module), *modules_in(package)]
        near = meant_here(node.attr, known)
        says = f"the reference, {package}/__init__.py, has no `{node.attr}`{near}"
        yield AuthoringError(self.text.path, node.lineno, says)

    def _of_submission(self, node: ast.Attribute) -> Iterator[AuthoringError]:
        if self.solution is None or hasattr(Submission, node.attr) or node.attr in self.solution:
            return
        known = [*self.solution, *names_of(Submission)]
        says = f"the solution has no `{node.attr}`{meant_here(node.attr, known)}"
        yield AuthoringError(self.text.path, node.lineno, says)

    def _read(self, node: ast.Call) -> Iterator[AuthoringError]:
        """`submission.value("a_scores")`, and answers to questions."""
        if not isinstance(node.func, ast.Attribute) or not isinstance(node.func.value, ast.Name):
            return
        first = node.args[0] if node.args else None
        if node.func.value.id != "submission" or not isinstance(first, ast.Constant):
            return
        word = str(first.value)
        if node.func.attr in READS and self.solution is not None and word not in self.solution:
            near = meant_here(word, [*self.solution])
            yield AuthoringError(
                self.text.path, first.lineno, f"the solution has no `{word}`{near}"
            )
        if node.func.attr == "answer":
            questions = [question.name for question in self.exercise.questions]
            if word not in questions:
                says = f"course.yml has no question `{word}`{meant(word, questions)}"
                yield AuthoringError(self.text.path, first.lineno, says)
