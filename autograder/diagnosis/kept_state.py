"""Whether answers depend on anything but the arguments: asked again, in another order, alone.

Nothing else that is said of a function's answers would be true of one whose answers depend on
what was called before, so this is found out first.
"""

import ast
from collections.abc import Callable, Iterator, Sequence

import msgspec

from autograder.course.text import one_line
from autograder.diagnosis.finding import Finding
from autograder.diagnosis.observations import Answer
from autograder.diagnosis.outcome import same
from autograder.diagnosis.recipe import Probe
from autograder.submission.code import Definition, parsed
from autograder.worker.messages import Unit

REMEMBERS = "remembers"
Ask = Callable[[Probe], Answer]
DEPENDS = (
    "The same call gives another result after other calls: it depends on something that an earlier "
    "call left behind, or on chance."
)
FIRST_IS_RIGHT = " The first call is right."


def dependence(
    probes: Sequence[Probe],
    answers: Sequence[Answer],
    right: Sequence[bool],
    alone: Callable[[], Ask],
) -> Finding | None:
    """What the answers depend on besides the arguments; None if that is nothing.

    Args:
        probes: the calls that were made, in this order, in a process where nothing ran before.
        answers: what came of them, and `right`, which of them are right.
        alone: another such process.
    """
    wrong = next((number for number, is_right in enumerate(right) if not is_right), 0)
    order = [wrong, *(n for n in reversed(range(len(probes))) if n != wrong)]
    ask = alone()
    again = {number: ask(probes[number]).outcome for number in order}
    if all(
        same(answers[number].outcome, outcome, probes[number].condition)
        for number, outcome in again.items()
    ):
        return None
    return Finding("located", DEPENDS + (FIRST_IS_RIGHT if right[0] else ""), (REMEMBERS,))


# Lines of a student's source that leave something behind for the next call, or draw by chance.
#
# Facts of the source alone: that such a line is there, never that it is to blame.


CHANGE = {"append", "add", "update", "setdefault", "extend", "insert", "pop", "clear", "popitem"}
CACHES = {"cache", "lru_cache", "cached_property"}
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
MOST = 2


class StateLine(msgspec.Struct, frozen=True):
    """A line that writes into `name`, which outlives the call."""

    label: str
    line: int
    name: str
    says: str


def lines_keeping_state(units: Sequence[Unit]) -> list[StateLine]:
    """The first such lines of a submission, in the order of its units."""
    found: list[StateLine] = []
    for unit in units:
        for line, name, says in _lines(parsed(unit) or []):
            label = one_line(unit.label, 80)
            found.append(StateLine(label, line, one_line(name, 40), says))
    return list(dict.fromkeys(found))[:MOST]


def lines_in_words(lines: Sequence[StateLine]) -> str:
    """` Line 4 writes into cache, which outlives the call.`, for each of the lines."""
    said = (f" Line {each.line} {each.says.format(each.name)}." for each in lines)
    return "".join(said)


def _lines(body: Sequence[ast.stmt]) -> Iterator[tuple[int, str, str]]:
    outside = set(_bound(body))
    for node in body:
        if isinstance(node, Definition):
            yield from _in_definition(node, outside)


def _in_definition(node: ast.stmt, outside: set[str]) -> Iterator[tuple[int, str, str]]:
    for function in ast.walk(node):
        if not isinstance(function, FUNCTIONS):
            continue
        for decorator in function.decorator_list:
            called = decorator.func if isinstance(decorator, ast.Call) else decorator
            if _last_name(called) in CACHES:
                yield decorator.lineno, function.name, "keeps the results of {} for later calls"
        if function.name != "__init__":
            yield from _in_function(function, outside)


def _in_function(
    function: ast.FunctionDef | ast.AsyncFunctionDef, outside: set[str]
) -> Iterator[tuple[int, str, str]]:
    given = function.args
    defaults = _changeable_defaults(given)
    own = {arg.arg for arg in (*given.posonlyargs, *given.args, *given.kwonlyargs)}
    own |= set(_bound(function.body))
    shared = {
        name for node in ast.walk(function) if isinstance(node, ast.Global) for name in node.names
    }
    own -= shared
    for node in ast.walk(function):
        for target, inside in _targets(node):
            name = _base(target)
            if isinstance(target, ast.Attribute) and name in {"self", "cls"}:
                yield target.lineno, f"{name}.{target.attr}", "writes {}, which outlives the call"
            elif not inside and name in shared:
                yield target.lineno, name, "gives the global name {} another value"
            elif inside and name in defaults:
                yield target.lineno, name, "writes into the default value of {}, made only once"
            elif inside and name in outside - own:
                yield target.lineno, name, "writes into {}, which outlives the call"


def _targets(node: ast.AST) -> list[tuple[ast.expr, bool]]:
    """What a node gives a value to, and whether it only changes something in it."""
    if isinstance(node, ast.Assign):
        parts = [part for target in node.targets for part in _parts(target)]
    elif isinstance(node, ast.AugAssign | ast.AnnAssign):
        parts = [node.target]
    elif (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in CHANGE
    ):
        return [(node.func.value, True)]
    else:
        return []
    return [(part, not isinstance(part, ast.Name)) for part in parts]


def _parts(target: ast.expr) -> list[ast.expr]:
    return list(target.elts) if isinstance(target, ast.Tuple | ast.List) else [target]


def _base(target: ast.expr) -> str:
    """The name at the root of `a.b[0]`."""
    inner: ast.expr = target
    while isinstance(inner, ast.Attribute | ast.Subscript | ast.Starred):
        inner = inner.value
    return inner.id if isinstance(inner, ast.Name) else ""


def _changeable_defaults(given: ast.arguments) -> set[str]:
    names = [arg.arg for arg in (*given.posonlyargs, *given.args)]
    plain = list(zip(names[::-1], given.defaults[::-1], strict=False))
    named = [
        (arg.arg, value) for arg, value in zip(given.kwonlyargs, given.kw_defaults, strict=True)
    ]
    return {
        name
        for name, value in [*plain, *named]
        if isinstance(value, ast.List | ast.Dict | ast.Set | ast.Call)
    }


def _bound(body: Sequence[ast.stmt]) -> Iterator[str]:
    """The names that some statements bind, those of functions too, without going into these."""
    waiting: list[ast.AST] = list(body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, Definition):
            yield node.name
            continue
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        waiting += ast.iter_child_nodes(node)


def _last_name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
