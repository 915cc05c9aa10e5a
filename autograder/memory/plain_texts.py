"""The few texts that say something to NumPy or Python, and to nobody later."""

import ast
import re

MAX_INDICES = 60  # characters
FORMAT = re.compile(r"[\w.,+<>^=% -]*")


def text_of(node: ast.AST) -> str | None:
    """The text that a node is; None of what is no text."""
    value = node.value if isinstance(node, ast.Constant) else None
    return value if isinstance(value, str) else None


def is_indices(path: str | None, text: str | None) -> bool:
    """Whether a first argument of the function at `path` is `"ij,jk->ik"`."""
    if text is None or path != "numpy.einsum":
        return False
    return len(text) < MAX_INDICES and all(each.isalpha() or each in ",.-> " for each in text)


def is_format(text: str | None) -> bool:
    """Whether it says how many digits a number has, or how wide it is, and no more."""
    return FORMAT.fullmatch(text or "") is not None
