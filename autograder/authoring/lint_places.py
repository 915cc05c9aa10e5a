"""Places of recipes and misconceptions in the course's files, by the words in them."""

import ast
import dataclasses
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import ModuleType

from autograder.course.authoring_errors import AuthoringError, CourseText, course_text
from autograder.diagnosis.misconceptions import Change, Family, Misconception
from autograder.diagnosis.mistakes import NAME
from autograder.diagnosis.recipe import Recipe


class Places:
    """The files of one exercise's misconceptions: its own module first, then what it imports."""

    def __init__(self, module: ModuleType) -> None:
        self.path = Path(str(module.__file__))
        package = module.__name__.rpartition(".")[0]
        own: list[Path] = []
        others: list[Path] = []
        for name, each in list(sys.modules.items()):
            path = getattr(each, "__file__", None)
            if not path or not name.startswith(f"{package}."):
                continue
            mine = name == module.__name__ or name.startswith(f"{module.__name__}.")
            (own if mine else others).append(Path(path))
        self._own = [self.path, *sorted(set(own) - {self.path})]
        self._paths = [*self._own, *sorted(set(others))]

    def own_texts(self) -> list[CourseText]:
        """Return the files of the exercise's own mistakes, without those that they share."""
        return [course_text(path) for path in self._own]

    def _texts(self) -> Iterator[CourseText]:
        return map(course_text, self._paths)

    def of_name(self, name: str, says: str) -> AuthoringError:
        """Return an error where a name of the module gets its value."""
        return AuthoringError(self.path, course_text(self.path).line_of_assignment(name), says)

    def of_argument(self, name: str, says: str) -> AuthoringError:
        """Return an error where a call in the module has an argument of that name."""
        for node in ast.walk(course_text(self.path).tree):
            if isinstance(node, ast.keyword) and node.arg == name:
                return AuthoringError(self.path, node.value.lineno, says)
        return self.of_name(NAME, says)

    def of_recipe(self, function: str, says: str, word: str = "") -> AuthoringError:
        """Return an error in the call that makes a function's recipe, where a word is in it."""
        for text in self._texts():
            call = _call_for(text, function)
            if call is not None:
                lines = [_line_in(call, word)] if word else []
                return AuthoringError(text.path, next((n for n in lines if n), call.lineno), says)
        return self.of_word(word or function, says)

    def of_word(self, word: object, says: str) -> AuthoringError:
        """Return an error where a word stands as a text, or at the module's record."""
        for text in self._texts():
            line = text.line_of_text(str(word))
            if line:
                return AuthoringError(text.path, line, says)
        return self.of_name(NAME, says)

    def of_misconception(self, wrong: Change, says: str, word: str = "") -> AuthoringError:
        """Return an error where a mistake is: a word in its entry or family, or its name."""
        met: list[tuple[Path, int]] = []
        name = wrong.id if isinstance(wrong, Misconception) else ""
        for text in self._texts() if name else ():
            for family, entry in _entries(text, name):
                line = _line_of(entry, word) or _line_of(family, word) if word else 0
                if line:
                    return AuthoringError(text.path, line, says)
                met.append((text.path, entry.keys[0].lineno))  # type: ignore[union-attr]
            line = text.line_of_text(name)
            met += [(text.path, line)] if line else []
        return AuthoringError(*(met or [*_of_code(wrong.replaces), (self.path, 1)])[0], says)


def _entries(text: CourseText, name: str) -> Iterator[tuple[ast.Call, ast.Dict]]:
    """Yield the families that have a mistake, and its own entry in each."""
    if f'"{name}"' not in text.text and f"'{name}'" not in text.text:
        return
    for node in ast.walk(text.tree):
        if not isinstance(node, ast.Call) or ast.unparse(node.func) != Family.__name__:
            continue
        for table in (each for each in ast.walk(node) if isinstance(each, ast.Dict)):
            for key, value in zip(table.keys, table.values, strict=True):
                if isinstance(key, ast.Constant) and key.value == name:
                    yield node, ast.Dict([key], [value])


def _line_of(tree: ast.AST, word: str) -> int:
    """Return the first line of a tree on which a word stands as a text; 0 if on none."""
    lines = (n.lineno for n in ast.walk(tree) if isinstance(n, ast.Constant) and n.value == word)
    return min(lines, default=0)


def _call_for(text: CourseText, function: str) -> ast.Call | None:
    """Return the call of Recipe that begins with a function, or with its name."""
    if function not in text.text:
        return None
    for node in ast.walk(text.tree):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
            continue
        begins = [*node.args[:1], *(each.value for each in node.keywords if each.arg == "of")]
        if node.func.id == Recipe.__name__ and function in [
            getattr(each, field, None) for each in begins for field in ("value", "id", "attr")
        ]:
            return node
    return None


def _line_in(call: ast.Call, word: str) -> int:
    """Return the line of a text, or of an argument's name, within a call; 0 if it is not in it."""
    for node in ast.walk(call):
        if isinstance(node, ast.Constant) and node.value == word:
            return node.lineno
        if isinstance(node, ast.keyword) and node.arg == word:
            return node.value.lineno
    fields = [each.name for each in dataclasses.fields(Recipe)]
    place = fields.index(word) if word in fields else len(call.args)
    return call.args[place].lineno if place < len(call.args) else 0


def _of_code(steps: object) -> list[tuple[Path, int]]:
    """Return where the functions of some steps stand."""
    found = steps.values() if isinstance(steps, Mapping) else ()
    codes = [step.__code__ for step in found if hasattr(step, "__code__")]
    return [(Path(code.co_filename), code.co_firstlineno) for code in codes]
