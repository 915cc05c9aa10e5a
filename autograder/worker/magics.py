"""Notebook cells that are not Python: IPython's magics and shell lines are left out, not run."""

import ast
import re

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
