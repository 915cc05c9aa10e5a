"""Search for state that stays between calls, and for mistakes in the structure of the source.

One search repeats calls in new processes. The others only read the source. So a message says only
that such a line exists.
"""

import ast
import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from autograder.checks.follow_through import values_agree
from autograder.checks.proxy import Call
from autograder.course.text import one_line
from autograder.diagnosis.finding import Finding, located, named_fact, stated
from autograder.diagnosis.hints import HINTS
from autograder.diagnosis.repair.tree import Function, is_stored, parameters_of
from autograder.report.model import Statement
from autograder.sandbox.problems import Raised, line_of, where
from autograder.submission.code import Definition, parsed, place_in, return_in_loop, root_name
from autograder.worker.messages import CodePlace, Unit

Array = npt.NDArray[Any]
REMEMBERS, ENDED = "remembers", "return-in-loop"
CHANGE = {"append", "add", "update", "setdefault", "extend", "insert", "pop", "clear", "popitem"}
CACHES = {"cache", "lru_cache", "cached_property"}
CHANGEABLE = (ast.List, ast.Dict, ast.Set, ast.Call)  # values that can be changed in place
MOST = 2  # the most lines that a message lists


def dependence_of(
    calls: Sequence[Call],
    compared: tuple[Any, Any],
    repeat: Callable[[Sequence[Call], int], Any],
) -> tuple[str, str] | None:
    """Return how the outcome of the last call depends on the calls before it, or None.

    The result is a statement's code, and words that follow the call in a report. `compared` has the
    part of the outcome that a check compared, and the right part. `repeat` makes calls in a new
    process, with a seed for random numbers, and returns the last outcome.
    """
    *earlier, shown = (made for made in calls if made.is_repeatable)
    alone = repeat([shown], 0)
    if _alike(alone, shown.outcome) or not _alike(alone, repeat([shown], 1)):
        return None  # it is the same alone, or it is random
    after = repeat([*earlier, shown], 0)
    while len(earlier) > 1:
        half = len(earlier) // 2
        tried = [(part, repeat([*part, shown], 0)) for part in (earlier[half:], earlier[:half])]
        found = [each for each in tried if _alike(each[1], shown.outcome)]
        found = found or [each for each in tried if not _alike(each[1], alone)]
        if not found:
            break
        earlier, after = found[0]
    if _alike(after, alone):
        return None
    call = str(earlier[0]) if len(earlier) == 1 else "the calls before it"
    if isinstance(after, Raised) and not isinstance(alone, Raised):
        return "stops_after", f", which gives a result alone, but stops after {call}"
    if _is_right(alone, shown.outcome, *compared):
        return "right_alone", f", which is right alone, but wrong after {call}"
    return "differs_alone", f", which gives another result alone than after {call}"


def _alike(one: Any, other: Any) -> bool:
    if isinstance(one, Raised) and isinstance(other, Raised):
        return one.cause == other.cause or "0x" in one.message  # an address
    return isinstance(one, Raised) == isinstance(other, Raised) and values_agree(one, other)


def _is_right(alone: Any, shown: Any, yours: Any, expected: Any) -> bool:
    """Return True if the compared part of a result is right in the result of the call alone."""
    if not isinstance(yours, np.ndarray) or not isinstance(expected, np.ndarray):
        return False
    return any(
        one.shape == expected.shape and np.allclose(one, expected, 1e-6, 1e-6)
        for one, other in zip(_arrays_in(alone), _arrays_in(shown), strict=False)
        if np.array_equal(other, yours, equal_nan=True)
    )


def _arrays_in(value: Any) -> Iterator[Array]:
    with contextlib.suppress(ValueError, TypeError):
        yield np.asarray(value, dtype=np.float64)
    for item in value if isinstance(value, list | tuple) else ():
        yield from _arrays_in(item)


def lines_keeping_state(units: Sequence[Unit]) -> list[tuple[CodePlace, Statement]]:
    found: dict[tuple[str, str], tuple[CodePlace, Statement]] = {}
    for unit in units:
        for line, name, code in sorted(_lines(parsed(unit) or [])):
            kept = stated(code, line=str(line), name=one_line(name, 40))
            found.setdefault((name, code), (place_in(unit, line), kept))
    return list(found.values())[:MOST]


def loop_ended(units: Sequence[Unit], function: str) -> Finding | None:
    found = return_in_loop(units, function)
    if found is None:
        return None
    place, loop = found
    told = "A `return` inside a loop ends the loop in its first round."
    says = f"The `return`{where(place)} is inside the loop of line {loop}, and ends it in the first"
    finding = named_fact("fact", stated("fact", id=ENDED, says=told))
    places = tuple(filter(None, [line_of(place)]))
    return replace(finding, says=f"{says} round.", hints=HINTS[ENDED], told=told, places=places)


def parameters_moved(units: Sequence[Unit], function: str, names: Sequence[str]) -> Finding | None:
    nodes = (node for unit in units for node in parsed(unit) or () if isinstance(node, Function))
    for given in (parameters_of(node) for node in nodes if node.name == function):
        if given != [*names] and sorted(given) == sorted(names):
            yours, right = ", ".join(given), ", ".join(names)
            says = f"Your parameters have the order ({yours}). In the given file, it is ({right})."
            finding = named_fact("fact", stated("fact", id="parameters-moved", says=says))
            hints = tuple(hint.format(name=function) for hint in HINTS["signature"])
            return replace(finding, hints=hints, told=says)
    return None


def with_lines(finding: Finding, units: Sequence[Unit]) -> Finding:
    """Return the finding, with the lines that keep state if it is about earlier calls."""
    if finding.misconceptions != (REMEMBERS,):
        return finding
    lines = lines_keeping_state(units)
    places = tuple(filter(None, (line_of(place) for place, _ in lines)))
    statements = [each for _, each in lines]
    if finding.code != "order_dependent":
        return replace(finding.with_more(*statements), places=places)
    first, *more = finding.statements
    said = located(finding.code, first, *statements, *more, names=finding.misconceptions)
    return replace(said, places=places)


def _lines(body: Sequence[ast.stmt]) -> Iterator[tuple[int, str, str]]:
    outside = set(_bound(body))
    definitions = [node for node in body if isinstance(node, Definition)]
    for function in (node for definition in definitions for node in ast.walk(definition)):
        if not isinstance(function, Function):
            continue
        for decorator in function.decorator_list:
            called = decorator.func if isinstance(decorator, ast.Call) else decorator
            if getattr(called, "attr", getattr(called, "id", "")) in CACHES:
                yield decorator.lineno, function.name, "keeps_results"
        if function.name != "__init__":
            yield from _in_function(function, outside)


def _in_function(function: Function, outside: set[str]) -> Iterator[tuple[int, str, str]]:
    given = function.args
    defaults = [
        *zip([*given.posonlyargs, *given.args][::-1], given.defaults[::-1], strict=False),
        *zip(given.kwonlyargs, given.kw_defaults, strict=True),
    ]
    changeable = {parameter.arg for parameter, value in defaults if isinstance(value, CHANGEABLE)}
    shared = {
        name for node in ast.walk(function) if isinstance(node, ast.Global) for name in node.names
    }
    own = {*parameters_of(function), *_bound(function.body)} - shared
    for node in ast.walk(function):
        for target, inside in _targets(node):
            name = root_name(target)
            if isinstance(target, ast.Attribute) and name in {"self", "cls"}:
                yield target.lineno, f"{name}.{target.attr}", "writes_attribute"
            elif not inside and name in shared:
                yield target.lineno, name, "sets_global"
            elif inside and name in changeable:
                yield target.lineno, name, "writes_default"
            elif inside and name in outside - own:
                yield target.lineno, name, "writes_outside"


def _targets(node: ast.AST) -> list[tuple[ast.expr, bool]]:
    targets: list[ast.expr] = []
    if isinstance(node, ast.Assign):
        for target in node.targets:
            targets += target.elts if isinstance(target, ast.Tuple | ast.List) else [target]
    elif isinstance(node, ast.AugAssign | ast.AnnAssign):
        targets = [node.target]
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return [(node.func.value, True)] if node.func.attr in CHANGE else []
    return [(target, not isinstance(target, ast.Name)) for target in targets]


def _bound(body: Sequence[ast.stmt]) -> Iterator[str]:
    waiting: list[ast.AST] = list(body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, Definition):
            yield node.name
        else:
            if is_stored(node):
                yield node.id
            waiting += ast.iter_child_nodes(node)
