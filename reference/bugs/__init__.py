"""Correct and broken implementations for `find_the_bug`, as functions and as texts.

Each function has a module. Functions named `right_…` are correct. The docstring of a function
`wrong_…` names the mistake.
"""

import ast
import functools
import importlib
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

NAMES = (
    "row_softmax",
    "batched_attention",
    "masked_heads",
    "multi_head_forward",
    "attention_with_dropout",
)
SHOWN = "shown"  # the exercise shows wrong_shown


@dataclass(frozen=True)
class Implementation:
    """An implementation. `wrong` names the mistake. For a correct implementation, it is empty."""

    id: str
    wrong: str
    function: Callable[..., Any]
    text: str


@functools.cache
def implementations(name: str) -> tuple[Implementation, ...]:
    """Return all implementations of a function as texts, without names that show the mistake."""
    module = importlib.import_module(f"{__name__}.{name}")
    found = []
    for node in ast.parse(inspect.getsource(module)).body:
        if isinstance(node, ast.FunctionDef) and node.name.startswith(("right_", "wrong_")):
            kind, _, rest = node.name.partition("_")
            said = " ".join((ast.get_docstring(node) or "").split())
            function = getattr(module, node.name)
            found.append(
                Implementation(
                    rest.replace("_", "-"),
                    said.rstrip(".") if kind == "wrong" else "",
                    function,
                    _alone(node),
                )
            )
    return tuple(found)


def right_answer(name: str, *args: Any) -> Any:
    return next(each for each in implementations(name) if not each.wrong).function(*args)


def _alone(node: ast.FunctionDef) -> str:
    """Return the function's source with the name `implementation` and without its docstring."""
    body = node.body[1:] if ast.get_docstring(node) is not None else node.body
    parameters = ast.arguments(
        posonlyargs=[],
        args=[ast.arg(each.arg) for each in node.args.args],
        kwonlyargs=[],
        kw_defaults=[],
        defaults=[],
    )
    renamed = ast.FunctionDef(
        name="implementation", args=parameters, body=body, decorator_list=[], returns=None
    )
    tree = ast.Module(body=[renamed], type_ignores=[])
    return "import numpy as np\n" + ast.unparse(ast.fix_missing_locations(tree)) + "\n"
