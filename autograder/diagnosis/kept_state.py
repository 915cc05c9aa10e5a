"""Search of a student's source for lines that keep state, and for other mistakes in its structure.

The search only reads the source, so a message says only that such a line exists.
"""

import ast
from collections.abc import Iterator, Sequence
from dataclasses import replace

from autograder.course.text import one_line
from autograder.diagnosis.finding import Finding, named_fact, sentence, stated
from autograder.diagnosis.hints import HINTS
from autograder.diagnosis.repair.tree import Function, is_stored, parameters_of
from autograder.report.model import Line, Statement
from autograder.sandbox.problems import line_of, where
from autograder.submission.code import Definition, parsed, return_in_loop
from autograder.worker.messages import Unit

REMEMBERS, ENDED = "remembers", "return-in-loop"
CHANGE = {"append", "add", "update", "setdefault", "extend", "insert", "pop", "clear", "popitem"}
CACHES = {"cache", "lru_cache", "cached_property"}
CHANGEABLE = (ast.List, ast.Dict, ast.Set, ast.Call)  # values that can be changed in place
MOST = 2  # the most lines that a message lists


def lines_keeping_state(units: Sequence[Unit]) -> list[tuple[str, Statement]]:
    lines = (
        (one_line(unit.label, 80), line, one_line(name, 40), code)
        for unit in units
        for line, name, code in _lines(parsed(unit) or [])
    )
    return [
        (label, stated(code, line=str(line), name=name))
        for label, line, name, code in list(dict.fromkeys(lines))[:MOST]
    ]


def loop_ended(units: Sequence[Unit], function: str) -> Finding | None:
    """Return a finding about a `return` that ends a loop in its first round."""
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
    """Return a finding about a function whose parameters have another order than `names`."""
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
    statements = tuple(statement for _, statement in lines)
    places = (Line(file=label, line=int(kept.values["line"])) for label, kept in lines)
    return replace(
        finding,
        says=" ".join([finding.says, *map(sentence, statements)]),
        places=tuple(places),
        statements=(*finding.statements, *statements),
    )


def _lines(body: Sequence[ast.stmt]) -> Iterator[tuple[int, str, str]]:
    """Yield the line, the name and the kind of each statement that keeps state."""
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
    in_order = [*given.posonlyargs, *given.args]
    defaults = [
        *zip(in_order[::-1], given.defaults[::-1], strict=False),
        *zip(given.kwonlyargs, given.kw_defaults, strict=True),
    ]
    changeable = {parameter.arg for parameter, value in defaults if isinstance(value, CHANGEABLE)}
    shared = {
        name for node in ast.walk(function) if isinstance(node, ast.Global) for name in node.names
    }
    own = {*parameters_of(function), *_bound(function.body)} - shared
    for node in ast.walk(function):
        for target, inside in _targets(node):
            name = _root(target)
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


def _root(target: ast.expr) -> str:
    while isinstance(target, ast.Attribute | ast.Subscript | ast.Starred):
        target = target.value
    return target.id if isinstance(target, ast.Name) else ""


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
