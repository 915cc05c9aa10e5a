"""Search for a change of one step of the reference that gives a group's wrong results.

The search changes and runs only the course's code, never students' code.
"""

import ast
import contextlib
import functools
import inspect
import symtable
import sys
import textwrap
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any, NamedTuple

import msgspec

from autograder.diagnosis.outcome import Outcome
from autograder.diagnosis.recipe import Misconception, Recipe, of_arguments
from autograder.diagnosis.repair.edits import edits
from autograder.diagnosis.repair.tree import Span, Tree
from autograder.diagnosis.replay import Replay
from autograder.grading.cpu_limit import CpuLimitExceeded, cpu_limit
from autograder.worker.messages import Unit

STATE = "s"
SECONDS = 40.0  # seconds of processor time
VALUES = (ast.Name, ast.Attribute, ast.Call, ast.BinOp, ast.Subscript)
FORMS = ("({} + 1)", "({} - 1)", "(2 * {})", "({} / 2)", "(-{})")  # changes of a value
MIN_WRONG = 2  # probes with answers that differ from the right ones


class StepCode(NamedTuple):
    """Code of a step that the search may change: a text that defines `name`, and its namespace."""

    step: str
    name: str
    text: str
    space: Mapping[str, Any]
    calls: str = ""  # expression of the step, if it calls the function `name`
    around: Mapping[str, Any] = {}  # namespace of `calls`
    right: Callable[..., Any] | None = None

    def misconception(self, text: str) -> Misconception:
        """Return the misconception in which `text` replaces this part of the step."""
        space = dict(self.space)
        exec(compile(text, self.step, "exec"), space)
        changed = space[self.name]
        if self.calls:
            changed = eval(f"lambda {STATE}: {self.calls}", {**self.around, self.name: changed})
        elif self.right is not None:
            changed = of_arguments(changed, self.right)
        return Misconception("", "", (), {self.step: changed})


class ChangedStep(msgspec.Struct, frozen=True):
    """Wrong step as text."""

    step: str
    name: str
    before: str  # original text
    text: str  # changed text, which defines `name`
    calls: str = ""  # expression of the step, if it calls the function `name`
    imports: tuple[str, ...] = ()  # lines that both texts need
    right: str = ""  # import of the recipe's function, if the step is this function

    @property
    def lines(self) -> list[tuple[str, str]]:
        before, after = self.before.splitlines(), self.text.splitlines()
        if len(before) != len(after):
            return [(self.before.strip(), self.text.strip())]
        pairs = zip(before, after, strict=True)
        return [(old.strip(), new.strip()) for old, new in pairs if old != new]


def changed_step(
    replay: Replay, answers: Sequence[Sequence[Outcome]], root: Path
) -> ChangedStep | None:
    """Return the first changed step that gives the results of all submissions."""
    wrong = [
        number
        for number, outcome in enumerate(answers[0])
        if not outcome.raised and not replay.is_right(number, outcome)
    ]
    if len(wrong) < MIN_WRONG:
        return None
    order = [*wrong, *(number for number in range(len(answers[0])) if number not in wrong)]
    with contextlib.suppress(CpuLimitExceeded), cpu_limit(SECONDS), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for code in _step_codes(replay.recipe, root):
            for text in dict.fromkeys(_changed_texts(code, replay.recipe)):
                if _gives_answers(replay, code, text, answers, order):
                    return _as_text(code, text)
    return None


def _gives_answers(
    replay: Replay,
    code: StepCode,
    text: str,
    answers: Sequence[Sequence[Outcome]],
    order: Sequence[int],
) -> bool:
    try:
        wrong = code.misconception(text)
    except Exception:  # invalid Python, or a default that raises
        return False
    return all(
        replay.fits(number, outcomes[number], (wrong,)) for number in order for outcomes in answers
    )


def _as_text(code: StepCode, text: str) -> ChangedStep:
    imports = _imports(code.text, code.space)
    if code.calls:
        imports |= _imports(f"lambda {STATE}: {code.calls}", code.around)
    imports.pop(code.name, None)
    right = ""
    if code.right is not None:
        right = f"from {code.right.__module__} import {code.right.__name__} as right"
    lines = tuple(sorted(set(imports.values())))
    return ChangedStep(code.step, code.name, code.text, text, code.calls, lines, right)


def _imports(text: str, space: Mapping[str, Any]) -> dict[str, str]:
    waiting = [symtable.symtable(text, "step", "exec")]
    names: set[str] = set()
    for table in waiting:
        waiting += table.get_children()
        names |= {s.get_name() for s in table.get_symbols() if s.is_global() and s.is_referenced()}
    return {name: _import_line(name, space) for name in sorted(names & space.keys())}


def _import_line(name: str, space: Mapping[str, Any]) -> str:
    value = space[name]
    if isinstance(value, ModuleType):
        return f"import {value.__name__}" + (f" as {name}" if name != value.__name__ else "")
    module, real = getattr(value, "__module__", None), getattr(value, "__name__", None)
    known = vars(sys.modules[module]) if module in sys.modules else {}
    if not isinstance(real, str) or known.get(real) is not value:
        module, real = space["__name__"], name
    return f"from {module} import {real}" + (f" as {name}" if name != real else "")


def _step_codes(recipe: Recipe, root: Path) -> Iterator[StepCode]:
    lambdas = {name: code for name, step in recipe.steps.items() if (code := _lambda(step))}
    for step, (text, space) in lambdas.items():
        yield StepCode(step, "step", f"def step({STATE}):\n    return {text}\n", space)
    for step, (text, space) in lambdas.items():
        calls = [node.func for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)]
        for name in dict.fromkeys(func.id for func in calls if isinstance(func, ast.Name)):
            function: Any = space.get(name)
            source = _function_text(function, root)
            if source and function.__name__ == name:
                yield StepCode(step, name, source, function.__globals__, text, space)
    text, right = _function_text(recipe.of, root), recipe.of
    if text and isinstance(right, FunctionType) and recipe.function in recipe.steps:
        yield StepCode(recipe.function, right.__name__, text, right.__globals__, right=right)


def _lambda(step: Any) -> tuple[str, Mapping[str, Any]] | None:
    """Return a lambda's expression (with `s` for the state) and its namespace."""
    code = getattr(step, "__code__", None)
    if code is None or step.__closure__ or step.__defaults__ or code.co_name != "<lambda>":
        return None
    try:
        tree = ast.parse(Path(code.co_filename).read_text(encoding="utf-8"))
    except (OSError, SyntaxError, ValueError):
        return None
    node = _innermost_lambda(tree, code)
    if node is None:
        return None
    state = node.args.args[0].arg
    for name in ast.walk(node.body):
        if isinstance(name, ast.Name) and name.id == state:
            name.id = STATE
    return ast.unparse(node.body), step.__globals__


def _innermost_lambda(tree: ast.Module, code: CodeType) -> ast.Lambda | None:
    places = [place for place in code.co_positions() if place[3]]  # lines, then columns
    start = min([(line, column) for line, _, column, _ in places], default=(0, 0))
    end = max([(line, column) for _, line, _, column in places], default=(0, 0))
    for node in reversed(list(ast.walk(tree))):
        if isinstance(node, ast.Lambda):
            body = node.body
            is_before = (body.lineno, body.col_offset) <= start
            if is_before and end <= (body.end_lineno, body.end_col_offset):
                return node
    return None


def _function_text(function: Any, root: Path) -> str:
    if not isinstance(function, FunctionType) or function.__closure__:
        return ""
    if not Path(function.__code__.co_filename).is_relative_to(root):
        return ""
    try:
        node = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    except (OSError, SyntaxError, ValueError, IndexError):
        return ""
    if not isinstance(node, ast.FunctionDef) or node.decorator_list:
        return ""
    return annotated(node, None)


def annotated(tree: ast.AST, annotation: ast.expr | None) -> str:
    return ast.unparse(_Annotations(annotation).visit(tree)) + "\n"


class _Annotations(ast.NodeTransformer):
    def __init__(self, annotation: ast.expr | None) -> None:
        self._annotation = annotation

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        node.returns = self._annotation
        for arg in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs):
            arg.annotation = self._annotation
        if ast.get_docstring(node) is not None and len(node.body) > 1:
            node.body = node.body[1:]
        self.generic_visit(node)
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.stmt:
        if node.value is None:
            return node
        return ast.copy_location(ast.Assign([node.target], node.value), node)


def _changed_texts(code: StepCode, recipe: Recipe) -> Iterator[str]:
    try:
        tree = Tree(Unit(code.step, code.text))
    except (SyntaxError, ValueError, RecursionError):
        return
    for edit in edits((tree,), frozenset()):
        yield tree.applied(edit.spans)
    for node in filter(functools.partial(_is_value, tree), tree.nodes):
        for form in FORMS:
            yield _replaced(tree, node, form.format(tree.operand(node)))
    known = [*recipe.parameters, *recipe.steps]
    if code.step in known and not code.calls:
        known = known[: known.index(code.step)]
    for node in tree.nodes:  # replace a value of the state by another
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            others = [name for name in known if name != node.attr]
            for name in others if node.value.id == STATE else ():
                yield _replaced(tree, node, f"{STATE}.{name}")


def _is_value(tree: Tree, node: ast.AST) -> bool:
    parent = tree.parent.get(node)
    is_read = isinstance(getattr(node, "ctx", ast.Load()), ast.Load)
    is_function = isinstance(parent, ast.Call) and parent.func is node
    return isinstance(node, VALUES) and is_read and not is_function


def _replaced(tree: Tree, node: ast.AST, text: str) -> str:
    start, end = tree.span(node)
    return tree.applied((Span(start, end, text),))
