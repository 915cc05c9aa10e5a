"""A text as its top-level statements: each is compiled by itself, and runs by itself."""

import __future__

import ast
import linecache
import marshal
import re
from collections.abc import Iterator
from types import CodeType
from typing import NamedTuple, Self

# Notebook cells that are not Python: IPython's magics and shell lines are left out, not run.


# No part of these can begin where the one before it could go on: a long line is read once.
_LINE = re.compile(r"^(\s*+)(?:([\w.,\[\]][\w.,\[\] ]*+=)\s*+)?[%!]")
_HELP = re.compile(r"^\s*+(\?.*|[\w.]++\?\??)\s*$")
_PYTHON_CELLS = {"time", "timeit", "capture", "prun", "python", "python3"}


LEFT_OUT = "get_ipython()"  # says of itself that it is left out, to who uses it


def without_magics(text: str, label: str) -> str:
    """`text`, with magic and shell lines emptied if it is not Python otherwise.

    Line numbers stay the same. A cell in another language (`%%bash`) becomes empty.
    """
    if label.endswith(".py") or _is_python(text):
        return text
    lines = text.split("\n")
    first = next((i for i, line in enumerate(lines) if line.strip()), 0)
    magic = re.match(r"^%%(\w+)", lines[first])
    if magic:
        if magic.group(1) not in _PYTHON_CELLS:
            return ""
        lines[first] = ""
    return "\n".join(_without_magic(line) for line in lines)


def _without_magic(line: str) -> str:
    found = _LINE.match(line)
    if found:
        assigned = f"{found.group(2)} {LEFT_OUT}" if found.group(2) else "pass"
        return found.group(1) + assigned
    return "pass" if _HELP.match(line) else line


def _is_python(text: str) -> bool:
    try:
        ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


MAX_SPLIT = 256 * 1024
_FUTURES = {name: getattr(__future__, name).compiler_flag for name in __future__.all_feature_names}


class Statement(NamedTuple):
    """One statement's code, its line, and the names that it binds if it is an import."""

    code: CodeType
    line: int = 0
    names: tuple[str, ...] = ()


class Statements:
    """The statements of a text, compiled; `futures` are the flags of its `__future__` imports.

    Raises:
        SyntaxError: it is not Python, in any line.
    """

    def __init__(self, text: str, label: str, futures: int = 0) -> None:
        self.futures = futures
        self.docstring: str | None = None
        self.compiled: list[Statement] = []
        if len(text) > MAX_SPLIT:  # a tree takes a thousand times the memory of its text
            whole = compile(text, label, "exec", flags=futures, dont_inherit=True)
            self.compiled.append(Statement(whole))
            return
        tree = ast.parse(text, label)
        self.docstring = ast.get_docstring(tree, clean=False)
        for node in tree.body:
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
                continue  # compiled by itself, any text would become the docstring
            for part in _parts(node):
                self.futures |= _future(part)
                module = ast.Module([part], [])
                code = compile(module, label, "exec", flags=self.futures, dont_inherit=True)
                self.compiled.append(Statement(code, part.lineno, _bound_by(part)))

    def to_bytes(self) -> bytes:
        """For another process of the same Python."""
        parts = [tuple(statement) for statement in self.compiled]
        return marshal.dumps((self.futures, self.docstring, parts))

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        made = cls.__new__(cls)
        made.futures, made.docstring, parts = marshal.loads(data)
        made.compiled = [Statement(*part) for part in parts]
        return made


def remember_lines(text: str, label: str) -> None:
    """Let errors show the lines of a text that is in no file."""
    linecache.cache[label] = (len(text), None, text.splitlines(keepends=True), label)


def _bound_by(node: ast.stmt) -> tuple[str, ...]:
    """The names that an import statement gives; none for any other statement."""
    if not isinstance(node, ast.Import | ast.ImportFrom):
        return ()
    names = (alias.asname or alias.name.split(".")[0] for alias in node.names)
    return tuple(name for name in names if name != "*")


def _parts(node: ast.stmt) -> Iterator[ast.stmt]:
    """A statement that imports several things, as one for each: one can be there, another not."""
    if isinstance(node, ast.Import) and len(node.names) > 1:
        yield from (ast.copy_location(ast.Import([alias]), node) for alias in node.names)
    elif isinstance(node, ast.ImportFrom) and len(node.names) > 1:
        for alias in node.names:
            part = ast.ImportFrom(node.module, [alias], node.level)
            yield ast.copy_location(part, node)
    else:
        yield node


def _future(node: ast.stmt) -> int:
    if not isinstance(node, ast.ImportFrom) or node.module != "__future__":
        return 0
    return sum(_FUTURES.get(alias.name, 0) for alias in node.names)
