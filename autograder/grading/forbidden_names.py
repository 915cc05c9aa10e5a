"""Library functions that an exercise asks students to write themselves, found in their source."""

import ast
from collections.abc import Iterable, Iterator

from autograder.course.text import one_line
from autograder.submission.source import Source
from autograder.worker.statements import without_magics

MOST = 10  # sentences


def find_forbidden(source: Source, forbids: Iterable[str]) -> list[str]:
    """A sentence for each use of a forbidden name, such as `torch.nn.functional.softmax`.

    The source is only parsed, never run. Names are followed through `import` and `from`, with
    `as`; a name that is put together at run time is not found.
    """
    wanted = set(forbids)
    if not wanted:
        return []
    longest = max(name.count(".") for name in wanted)
    known: dict[str, str] = {}
    found: list[str] = []
    for unit in source.units:
        try:
            tree = ast.parse(without_magics(unit.text, unit.label))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        known.update(_imported(tree))
        for line, name in _uses(tree, known, longest):
            if name in wanted:
                label = one_line(unit.label, 80)
                found.append(
                    f"Line {line} of {label} uses {name}, which this exercise asks you to write "
                    f"yourself."
                )
    said = list(dict.fromkeys(found))
    if len(said) > MOST:
        said[MOST:] = [f"So do {len(said) - MOST:,} more lines."]
    return said


def _imported(tree: ast.AST) -> dict[str, str]:
    """Local name to full name, from the import statements."""
    names: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                local = alias.asname or alias.name.split(".")[0]
                names[local] = alias.name if alias.asname else local
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                names[alias.asname or alias.name] = f"{node.module}.{alias.name}"
    return names


def _uses(tree: ast.AST, known: dict[str, str], longest: int) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute | ast.Name) and isinstance(node.ctx, ast.Load):
            name = _dotted(node, known, longest)
            if name:
                yield node.lineno, name
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                yield node.lineno, f"{node.module}.{alias.name}"


def _dotted(node: ast.AST, known: dict[str, str], longest: int) -> str:
    """The full name that stands there, of at most so many dots."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute) and len(parts) <= longest:
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name) or node.id not in known:
        return ""
    return ".".join([known[node.id], *reversed(parts)])
