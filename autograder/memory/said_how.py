"""Which texts may stand in code that keeps nothing: those that only say how something is done.

An array of texts turns what is put into it into a text, which says of a function where it lies.
"""

import ast
import re

TAKES_A_KIND = frozenset({".astype", ".to", "numpy.dtype"})
TAKES_A_NAME = frozenset({".register_buffer", ".register_parameter"})
TAKES_INDICES = frozenset({"numpy.einsum", "torch.einsum"})
HANDS_ON = frozenset({"functools.partial", "numpy.apply_along_axis", "numpy.piecewise"})
HOW = frozenset(
    {"approximate", "indexing", "kind", "method", "mode", "ord", "order", "reduction", "side"}
)
_NUMBERS = re.compile(r"[<>=]?(float|int|uint|bool|complex|cpu|[fiude])\d{0,3}_?")
_INDICES = re.compile(r"[A-Za-z,.> -]{0,60}")


def says_how(function: str | None, keyword: str, value: ast.expr) -> bool:
    """Whether an argument is a text that only says how to do it.

    `function` is the library's that is called, or with a dot in front the method; None for any
    other. An empty `keyword` stands for the first argument.
    """
    if not isinstance(value, ast.Constant) or not isinstance(value.value, str):
        return False
    if function is None or function in HANDS_ON:
        return False
    if keyword == "dtype" or (not keyword and function in TAKES_A_KIND):
        return _NUMBERS.fullmatch(value.value) is not None
    if not keyword:
        is_indices = function in TAKES_INDICES and _INDICES.fullmatch(value.value) is not None
        return is_indices or function in TAKES_A_NAME
    return keyword in HOW and value.value != "empty"
