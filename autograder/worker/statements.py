"""The top-level statements of a text, compiled and run one by one."""

import __future__

import ast
import contextlib
import copy
import linecache
import re
from collections.abc import Iterator
from types import CodeType

# The quantifiers are possessive (`*+`), so a long line is read only once.
_LINE = re.compile(r"^(\s*+)(?:([\w.,\[\]][\w.,\[\] ]*+=)\s*+)?[%!]")
_HELP = re.compile(r"^\s*+(\?.*|[\w.]++\?\??)\s*$")
_PYTHON_CELLS = {"time", "timeit", "capture", "prun", "python", "python3"}
_FUTURES = {name: getattr(__future__, name).compiler_flag for name in __future__.all_feature_names}

LEFT_OUT = "get_ipython()"  # this call in the text shows that a magic was left out
MAX_SPLIT = 256 * 1024


def without_magics(text: str, label: str) -> str:
    """Return `text` without magics and shell lines of notebooks. Lines keep their numbers.

    A cell in another language (`%%bash`) becomes empty. A text that is valid Python stays
    unchanged.
    """
    if label.endswith(".py"):
        return text
    with contextlib.suppress(SyntaxError, ValueError, RecursionError, MemoryError):
        ast.parse(text)
        return text
    lines = text.split("\n")
    first = next((i for i, line in enumerate(lines) if line.strip()), 0)
    magic = re.match(r"^%%(\w+)", lines[first])
    if magic:
        if magic.group(1) not in _PYTHON_CELLS:
            return ""
        lines[first] = ""
    for at, line in enumerate(lines):
        if match := _LINE.match(line):
            space, assigned = match.groups()
            lines[at] = f"{space}{assigned} {LEFT_OUT}" if assigned else f"{space}pass"
        elif _HELP.match(line):
            lines[at] = "pass"
    return "\n".join(lines)


# A text's `__future__` flags, its docstring, and the code of each statement. With the code of an
# import comes the name that it binds. `marshal` can write this type.
Compiled = tuple[int, str | None, list[tuple[CodeType, str]]]


def compiled(text: str, label: str, futures: int = 0) -> Compiled:
    """Compile each statement of a text, with the flags of earlier `__future__` imports."""
    if len(text) > MAX_SPLIT:  # a tree needs a thousand times the memory of its text
        return futures, None, [(compile(text, label, "exec", flags=futures, dont_inherit=True), "")]
    tree = ast.parse(text, label)
    codes: list[tuple[CodeType, str]] = []
    for node in tree.body:
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            continue  # compiled alone, a text expression would become the docstring
        for part, name in _parts(node):
            if isinstance(part, ast.ImportFrom) and part.module == "__future__":
                futures |= _FUTURES.get(part.names[0].name, 0)
            module = ast.Module([part], [])
            codes.append((compile(module, label, "exec", flags=futures, dont_inherit=True), name))
    return futures, ast.get_docstring(tree, clean=False), codes


def _parts(node: ast.stmt) -> Iterator[tuple[ast.stmt, str]]:
    if not isinstance(node, ast.Import | ast.ImportFrom):
        yield node, ""
        return
    for alias in node.names:
        part = copy.copy(node)
        part.names = [alias]
        bound = alias.asname or alias.name.split(".")[0]
        yield part, bound if bound != "*" else ""


def remember_lines(text: str, label: str) -> None:
    linecache.cache[label] = (len(text), None, text.splitlines(keepends=True), label)
