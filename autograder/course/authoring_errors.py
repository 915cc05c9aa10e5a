"""Authoring errors, and the text of course files."""

import ast
import functools
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from autograder.course.errors import UserError
from autograder.course.text import few, nearest, several

MOST_SAID = 20
MOST_NAMES = 12


@dataclass(frozen=True, order=True)
class AuthoringError:
    """Error in a file of the course, with its place. Lines are counted from 1."""

    path: Path
    line: int
    says: str

    def __str__(self) -> str:
        return f"{self.path}, line {self.line}: {self.says}"


class InvalidCourse(UserError):
    """Error: the course has authoring errors, so no submission is graded."""

    def __init__(self, errors: Sequence[AuthoringError]) -> None:
        self.errors = tuple(dict.fromkeys(errors))
        lines = [str(error) for error in self.errors[:MOST_SAID]]
        if len(self.errors) == 1:
            lines.append("This is an error in the course, not in a submission. Nothing was graded.")
        else:
            count = several(len(self.errors), "error")
            lines.insert(0, f"{count} in the course, not in a submission. Nothing was graded.")
        if len(self.errors) > MOST_SAID:
            lines.append(f"… and {len(self.errors) - MOST_SAID} more.")
        super().__init__("\n".join(lines))

    def __reduce__(self) -> tuple[type, tuple[Sequence[AuthoringError]]]:
        """Rebuild the exception from its authoring errors in another process."""
        return InvalidCourse, (self.errors,)


def meant(word: str, known: Iterable[str]) -> str:
    """Return the end of an error message: the nearest known name, or a list of known names."""
    names = sorted(dict.fromkeys(known))
    near = nearest(word, names)
    if near:
        return f"; did you mean `{near}`?"
    return f"; there is {few(names, MOST_NAMES)}." if names else "."


Function = ast.FunctionDef | ast.AsyncFunctionDef


class CourseText:
    """Python file of the course. The file has been loaded, so it is valid Python."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.text = path.read_text(encoding="utf-8")
        self.lines = self.text.splitlines()

    @functools.cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text)

    @functools.cached_property
    def functions(self) -> dict[str, Function]:
        """The top-level functions by name. Of several functions with one name, the last counts."""
        return {n.name: n for n in self.tree.body if isinstance(n, Function)}

    @functools.cached_property
    def bodies(self) -> list[list[ast.stmt]]:
        classes = (node for node in ast.walk(self.tree) if isinstance(node, ast.ClassDef))
        return [self.tree.body, *(node.body for node in classes)]

    def line_of_mark(self, function: str, word: object = None) -> int:
        """Return the line of a word in a function's decorators, or else the line of `def`."""
        node = self.functions.get(function)
        if node is None:
            return 1
        for part in (part for decorator in node.decorator_list for part in ast.walk(decorator)):
            match part:
                case ast.Constant(value=value) if word is not None and value == word:
                    return part.lineno
                case ast.keyword(name, value) | ast.Attribute(value, name) if name == word:
                    return value.lineno
        return node.lineno

    def line_of_assignment(self, name: str) -> int:
        """Return the line that assigns to a name at the top level. By default, return 1."""
        pattern = re.compile(rf"(?:def |class )?{re.escape(name)}\b")
        return next((n for n, line in enumerate(self.lines, 1) if pattern.match(line)), 1)


@functools.lru_cache(maxsize=256)
def _read(path: Path, changed: int) -> CourseText:  # noqa: ARG001  part of the key
    return CourseText(path)


def course_text(path: Path) -> CourseText:
    """Return the current text of a file. Read the file again only after a change."""
    return _read(path, path.stat().st_mtime_ns)
