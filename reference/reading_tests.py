"""Facts about a student's test, read from its source. The module runs no code.

Each fact says why the test accepts wrong functions, or why it rejects a right function.
"""

import ast
import builtins
from collections.abc import Callable, Iterator
from typing import NamedTuple

CATCHES_ALL = {"AssertionError", "Exception", "BaseException"}
SHAPES = {"shape", "ndim", "size", "dtype", "len"}
WHOLE = {"argmax", "argmin", "argsort", "count_nonzero", "type"}
ROUNDED = {"round", "around", "rint"}
APART = {"subtract", "dist", "diff"}
ORDER = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
ADDS = {"append", "extend", "add", "insert"}
SUMS = {"sum"}
EXACT = {"array_equal", "assert_array_equal", "array_equiv"}
CLOSE = {"allclose", "isclose", "assert_allclose", "assert_almost_equal", *EXACT}
TWO_RESULTS = {"batched_attention", "multi_head_forward", "attention_with_dropout"}
FINITE = {"isnan", "isinf", "isfinite"}
RANDOM = {"random", "binomial", "choice", "uniform", "rand"}

Definitions = Callable[[str], tuple[str, ast.FunctionDef] | None]  # of a function's name


class Fact(NamedTuple):
    """Mistake in a test, with a sentence about the test's source."""

    mistake: str
    says: str


class _Test:
    """Parsed test: parameter, asserts, and labels of lines."""

    def __init__(
        self, label: str, function: ast.FunctionDef, definition: Definitions = lambda _: None
    ) -> None:
        self.label = label
        self.definition = definition
        self.function = function
        self.tested = function.name.removeprefix("test_")
        self.parameter = function.args.args[0].arg if function.args.args else ""
        self.nodes = [node for statement in function.body for node in ast.walk(statement)]
        self.values: dict[str, list[ast.expr]] = {}
        for target, value in (pair for node in self.nodes for pair in _bindings(node)):
            for name, part in _assigned(target, value):
                self.values.setdefault(name, []).append(part)
        self.asserts = [node for node in self.nodes if isinstance(node, ast.Assert)]
        self.raises = [node for node in self.nodes if isinstance(node, ast.Raise)]
        self.calls = [node for node in self.nodes if isinstance(node, ast.Call)]
        self.calls_assert = any(_name(call.func).startswith("assert") for call in self.calls)

    def at(self, node: ast.AST) -> str:
        return f"line {getattr(node, 'lineno', 0)} of {self.label}"


def _bindings(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yield each target that a statement sets or adds to, with the value."""
    if isinstance(node, ast.Assign):
        yield from ((target, node.value) for target in node.targets)
    elif isinstance(node, ast.AugAssign):
        yield node.target, ast.BinOp(node.target, node.op, node.value)
    elif isinstance(node, ast.For | ast.comprehension):
        yield node.target, node.iter
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        yield from ((node.func.value, arg) for arg in node.args if node.func.attr in ADDS)


def _assigned(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    parts = target.elts if isinstance(target, ast.Tuple) else []
    values = value.elts if isinstance(value, ast.Tuple) else []
    if parts and len(parts) == len(values):
        for one, other in zip(parts, values, strict=True):
            yield from _assigned(one, other)
        return
    for name in ast.walk(target):
        if isinstance(name, ast.Name):
            yield name.id, value


def why_it_accepts(
    label: str, function: ast.FunctionDef, definition: Definitions = lambda _: None
) -> Fact | None:
    """Return why a test accepts broken functions. If its source does not show it, return None.

    `definition` returns the file and the definition of the student's function with a name.
    """
    test = _Test(label, function, definition)
    for read in (
        _ignores_its_argument,
        _catches_its_assertion,
        _asserts_what_is_always_true,
        _never_rejects,
        _compares_the_function,
        _compares_truth_values,
        _looks_only_at,
        _ignores_one_result,
    ):
        if fact := read(test):
            return fact
    return None


def why_it_rejects(
    label: str, function: ast.FunctionDef, line: int, definition: Definitions = lambda _: None
) -> Fact | None:
    """Return why a test rejects right functions. If its source does not show it, return None.

    The assert that failed is in `line`, in the test or in a function that the test calls.
    """
    test = _Test(label, function, definition)
    if fact := _uncalled(test) or _compares_the_function(test):
        return fact
    if _has(function, line):
        checked: list[ast.AST] = [node for node in test.asserts if _has(node, line)]
        failed = checked
    else:
        named = [call for call in test.calls if isinstance(call.func, ast.Name)]
        helpers = [(call, definition(_name(call.func))) for call in named]
        within = [(call, found[1]) for call, found in helpers if found and _has(found[1], line)]
        checked = [call for call, _ in within]
        inside = [node for _, helper in within for node in ast.walk(helper)]
        failed = [node for node in inside if isinstance(node, ast.Assert) and _has(node, line)]
    draws = (_expects_own_draws(test, node) for node in checked)
    exact = (_expects_exact_numbers(test, node) for node in failed if isinstance(node, ast.Assert))
    return next((fact for fact in (*draws, *exact) if fact), None)


def _has(node: ast.stmt, line: int) -> bool:
    return node.lineno <= line <= (node.end_lineno or 0)


def _name(node: ast.AST) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _names(node: ast.AST) -> set[str]:
    return {_name(each) for each in ast.walk(node)} - {""}


def _may_be_called(test: _Test) -> bool:
    """Return True if the tested function is called, gets another name, or is passed on."""
    passed = (call.args for call in test.calls if not _compares(call))
    given = [arg for args in passed for arg in args] + [
        v for vs in test.values.values() for v in vs
    ]
    called = [call.func for call in test.calls]
    return any(isinstance(e, ast.Name) and e.id == test.parameter for e in (*called, *given))


def _compares(call: ast.Call) -> bool:
    """Return True for a comparison by NumPy, such as `np.allclose`."""
    name = _name(call.func)
    return isinstance(call.func, ast.Attribute) and (name in CLOSE or name.startswith("assert"))


def _uses_helpers(test: _Test) -> bool:
    known = {test.parameter, test.tested, f"broken_{test.tested}", *dir(builtins)}
    called = {call.func.id for call in test.calls if isinstance(call.func, ast.Name)} - known
    is_unknown = any(
        isinstance(call.func, ast.Subscript) or _name(call.func) in {"fail", "exit"}
        for call in test.calls
    )
    return is_unknown or any(_may_reject(test, name) for name in called)


def _may_reject(test: _Test, name: str, depth: int = 3) -> bool:
    """Return False if a student's function has no assert and no raise, and calls none that has."""
    found = test.definition(name)
    if found is None or depth == 0:
        return not hasattr(builtins, name)
    for node in ast.walk(found[1]):
        if isinstance(node, ast.Assert | ast.Raise):
            return True
        called = _name(node.func) if isinstance(node, ast.Call) else ""
        if called.startswith("assert") or (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and called != name
            and _may_reject(test, called, depth - 1)
        ):
            return True
    return False


def _ignores_its_argument(test: _Test) -> Fact | None:
    if not test.parameter or any(
        isinstance(node, ast.Name) and node.id == test.parameter for node in test.nodes
    ):
        return None
    called = [_name(call.func) for call in test.calls]
    tested = next((name for name in called if name == test.tested), "")
    instead = f" It always tests {tested}." if tested else ""
    says = f"It does not use its argument {test.parameter}.{instead}"
    return Fact("ignores-its-argument", says)


def _rejects(test: _Test, node: ast.AST) -> bool:
    """Return True for an assert, a raise, or a call of a student's function that has one."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return test.definition(node.func.id) is not None and _may_reject(test, node.func.id)
    return isinstance(node, ast.Assert | ast.Raise)


def _catches_its_assertion(test: _Test) -> Fact | None:
    for node in (each for each in test.nodes if isinstance(each, ast.Try)):
        for handler in node.handlers:
            caught = _names(handler.type) if handler.type is not None else CATCHES_ALL
            inside = [each for part in node.body for each in ast.walk(part)]
            again = [each for part in handler.body for each in ast.walk(part)]
            if (
                caught & CATCHES_ALL
                and any(_rejects(test, each) for each in inside)
                and not any(_rejects(test, each) for each in again)
            ):
                says = f"The except in {test.at(handler)} catches the test's own AssertionError."
                return Fact("catches-its-assertion", says)
    return None


def _asserts_what_is_always_true(test: _Test) -> Fact | None:
    for node in test.asserts:
        if isinstance(node.test, ast.Tuple) and node.test.elts:
            says = (
                f"The assert in {test.at(node)} has a tuple in brackets, which is always true. "
                "Write the assert without the brackets."
            )
            return Fact("asserts-a-tuple", says)
        if isinstance(node.test, ast.Constant) and node.test.value:
            return Fact("asserts-a-constant", f"The assert in {test.at(node)} is always true.")
    return None


def _never_rejects(test: _Test) -> Fact | None:
    if test.asserts or test.raises or test.calls_assert:
        return None
    says = "It has no assert, so it never raises an AssertionError."
    for node in (each for each in test.nodes if isinstance(each, ast.Return)):
        names = _names(node.value) if node.value is not None else set()
        if node.value is not None and (not _uses_helpers(test) or names & {*CLOSE, "all", "any"}):
            says = f"It has no assert. What it returns in {test.at(node)} is ignored."
            return Fact("returns-its-verdict", says)
    if _uses_helpers(test):
        return None
    if any(_name(call.func) == "print" for call in test.calls):
        return Fact("prints-its-verdict", f"{says} It only prints.")
    return Fact("no-assert", f"{says} A comparison alone rejects nothing.")


def _compares_the_function(test: _Test) -> Fact | None:
    for node in test.asserts:
        if isinstance(node.test, ast.BoolOp) or test.parameter in test.values:
            continue  # another part of it may be about the results
        parts = [each for each in ast.walk(node.test) if isinstance(each, ast.Compare)]
        operands = [each for part in parts for each in (part.left, *part.comparators)]
        for each in operands:
            is_name = _name(each) == "__name__" and test.parameter in _names(each)
            if is_name or (isinstance(each, ast.Name) and each.id == test.parameter):
                says = (
                    f"The assert in {test.at(node)} depends on the function that it gets, not on "
                    "the function's results."
                )
                return Fact("looks-at-the-function", says)
    return None


def _compares_truth_values(test: _Test) -> Fact | None:
    def is_truth(node: ast.AST) -> bool:
        return isinstance(node, ast.Call) and _name(node.func) in {"all", "any"}

    for node in test.asserts:
        compared = node.test
        if isinstance(compared, ast.Compare) and all(
            is_truth(each) for each in (compared.left, *compared.comparators)
        ):
            first = _name(compared.left.func) if isinstance(compared.left, ast.Call) else ""
            says = (
                f"The assert in {test.at(node)} compares two truth values: {first}() comes before "
                "the comparison. Compare the numbers first."
            )
            return Fact("compares-truth-values", says)
    return None


def _looks_only_at(test: _Test) -> Fact | None:
    """Return a fact if no assert of the student's test compares a number with its right value."""
    kinds = {_kind(test, node.test) for node in test.asserts}
    if not kinds or test.raises or test.calls_assert or _uses_helpers(test):
        return None
    beside = "Apart from shapes and sizes, its" if "shapes" in kinds else "Its"
    for mistake, known, says in (
        ("compares-only-shapes", {"shapes"}, "Its asserts compare only shapes and sizes."),
        (
            "compares-only-shapes",
            {"shapes", "finite"},
            f"{beside} asserts look only for NaN and infinite numbers.",
        ),
        (
            "compares-only-sums",
            {"shapes", "sums"},
            f"{beside} asserts compare only sums, and no single numbers.",
        ),
        (
            "compares-only-bounds",
            {"shapes", "sums", "finite", "bounds"},
            f"{beside} asserts compare numbers only with fixed numbers, and not with right "
            "answers.",
        ),
        (
            "asserts-only-differences",
            {"shapes", "finite", "differences"},
            f"{beside} asserts say what the result is not. They do not say what the right result "
            "is.",
        ),
    ):
        if kinds <= known:
            return Fact(mistake, says)
    return None


def _kind(test: _Test, node: ast.expr) -> str:
    """Return the kind of a comparison: shapes, sums, finite, bounds, differences or numbers."""
    if isinstance(node, ast.BoolOp):
        kinds = {_kind(test, each) for each in node.values}
        return kinds.pop() if len(kinds) == 1 else "numbers"
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.Invert):
        kind = _kind(test, node.operand)
        return "differences" if kind == "numbers" and _is_equality(node.operand) else kind
    if isinstance(node, ast.Call) and _name(node.func) in FINITE:
        return "finite"
    if isinstance(node, ast.Call) and _name(node.func) in {"all", "any"}:
        of = node.args[0] if node.args else getattr(node.func, "value", node)
        return _kind(test, of) if of is not node else "numbers"
    if isinstance(node, ast.Call) and _name(node.func) in CLOSE:
        sides, bounded = node.args[:2], False
    elif isinstance(node, ast.Compare):
        sides, bounded = [node.left, *node.comparators], True
    else:
        return "numbers"
    results = [side for side in sides if _is_of_results(test, side)] or sides
    for kind, names in (("shapes", SHAPES), ("sums", SUMS)):
        if all(_is_of(test, side, names) for side in results):
            return kind
    fixed = (isinstance(side, ast.Constant | ast.UnaryOp) for side in sides[1:])
    bounded &= all(isinstance(op, ORDER) for op in getattr(node, "ops", ()))
    return "bounds" if bounded and all(fixed) and not _subtracts(test, sides[0]) else "numbers"


def _is_equality(node: ast.AST) -> bool:
    """Return True if a condition is true of equal numbers, as `==` and `allclose` are."""
    parts = [*ast.walk(node)]
    ops = [op for each in parts if isinstance(each, ast.Compare) for op in each.ops]
    is_close = any(isinstance(each, ast.Call) and _name(each.func) in CLOSE for each in parts)
    return (is_close or bool(ops)) and all(isinstance(op, ast.Eq) for op in ops)


def _is_of_results(test: _Test, node: ast.expr) -> bool:
    """Return True if a value comes from a call of the tested function."""
    made = (each for each in _made_of(test, node) if isinstance(each, ast.Call))
    return any(_name(call.func) == test.parameter for call in made)


def _subtracts(test: _Test, node: ast.expr) -> bool:
    return any(isinstance(each, ast.Sub) or _name(each) in APART for each in _made_of(test, node))


def _is_of(test: _Test, node: ast.AST, names: set[str]) -> bool:
    """Return True if a value comes from one of `names`, such as `shape`."""
    if isinstance(node, ast.Name):
        return any(_is_of(test, value, names) for value in test.values.get(node.id, ()))
    if isinstance(node, ast.Subscript):
        return _is_of(test, node.value, names)
    if isinstance(node, ast.BinOp):
        constants = [isinstance(each, ast.Constant) for each in (node.left, node.right)]
        return any(constants) and any(_is_of(test, e, names) for e in (node.left, node.right))
    if isinstance(node, ast.Call) and _name(node.func) in {"abs", "absolute", "round", "max"}:
        inside = node.args or [getattr(node.func, "value", node.func)]
        return any(_is_of(test, each, names) for each in inside)
    return _name(node.func if isinstance(node, ast.Call) else node) in names


def _made_of(test: _Test, node: ast.AST, depth: int = 5) -> Iterator[ast.AST]:
    for each in ast.walk(node):
        yield each
        if isinstance(each, ast.Name) and depth:
            for value in test.values.get(each.id, ()):
                yield from _made_of(test, value, depth - 1)


def _ignores_one_result(test: _Test) -> Fact | None:
    """Return a fact if the test never uses the output, or never uses the weights."""
    calls = [call for call in test.calls if _name(call.func) == test.parameter]
    loaded = {n.id for n in test.nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    taken: list[set[int]] = []  # the results of each call that the test uses
    for node in test.nodes:
        of_call = getattr(node, "value", None) in calls
        if of_call and isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
            taken.append({0, 1} & {node.slice.value})
        elif of_call and isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Tuple):
            names = map(_name, node.targets[0].elts)
            taken.append({place for place, name in enumerate(names) if name in loaded})
    used = set().union(*taken)
    if test.tested not in TWO_RESULTS or len(taken) != len(calls) or len(used) != 1:
        return None
    which = "the output, the first" if used == {1} else "the weights, the second"
    return Fact("ignores-one-result", f"It never uses {which} result.")


def _uncalled(test: _Test) -> Fact | None:
    if test.parameter and not _may_be_called(test):
        says = f"It never calls its argument: write {test.parameter}(…) to get an answer."
        return Fact("never-calls", says)
    return None


def _expects_own_draws(test: _Test, node: ast.AST) -> Fact | None:
    if test.tested != "attention_with_dropout":
        return None
    if any(_compares_draws(test, each) for each in _made_of(test, node)):
        says = (
            f"The comparison in {test.at(node)} expects certain random numbers. They are not "
            "fixed: a right function may sample its numbers in another way."
        )
        return Fact("expects-own-draws", says)
    return None


def _compares_draws(test: _Test, node: ast.AST, depth: int = 3) -> bool:
    """Return True if a node compares random numbers, itself or in a function of the student."""
    if isinstance(node, ast.Compare):
        sides = [node.left, *node.comparators]
        values = [value for side in sides for value in (side, *test.values.get(_name(side), ()))]
        calls = [each for value in values for each in ast.walk(value) if isinstance(each, ast.Call)]
        tested = [call for call in calls if _name(call.func) == test.parameter]
        inside = {id(each) for call in tested for each in ast.walk(call)}  # its random arguments
        return any(_name(call.func) in RANDOM for call in calls if id(call) not in inside)
    name = node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""
    found = test.definition(name) if name not in ("", test.parameter) and depth else None
    if found is None:
        return False
    helper = _Test(*found, test.definition)
    return any(_compares_draws(helper, each, depth - 1) for each in helper.nodes)


def _expects_exact_numbers(test: _Test, node: ast.Assert) -> Fact | None:
    compared = node.test
    equal = False
    for each in ast.walk(compared) if not isinstance(compared, ast.UnaryOp) else ():
        equal |= isinstance(each, ast.Compare) and any(isinstance(op, ast.Eq) for op in each.ops)
        equal |= isinstance(each, ast.Call) and _name(each.func) in EXACT
    made = [*_made_of(test, compared, 1)]
    known = {_name(each) for each in made} & {*ROUNDED, *WHOLE, *(CLOSE - EXACT)}
    if not equal or known or any(isinstance(each, ORDER) for each in made):
        return None  # rounded, counted or close numbers may be equal
    if _kind(test, compared) == "shapes":
        return None
    says = (
        f"The assert in {test.at(node)} expects numbers that are equal to the last digit. Right "
        "functions round in different ways. Compare with np.allclose."
    )
    return Fact("expects-exact-numbers", says)
