"""Search for a change of one step of a recipe, so that the recipe gives a group's answers.

The search changes and runs only the course's code, never the code of a student.
"""

import ast
import builtins
import contextlib
import functools
import inspect
import sys
import textwrap
import warnings
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any, NamedTuple

import msgspec

from autograder.desk.group_answers import GroupAnswers
from autograder.diagnosis.misconceptions import Misconception, of_arguments
from autograder.diagnosis.recipe import Recipe
from autograder.diagnosis.repair.edits import edits
from autograder.diagnosis.repair.tree import Span, Tree
from autograder.grading.cpu_limit import CpuLimitExceeded, cpu_limit
from autograder.worker.messages import Unit

STATE = "s"
SECONDS = 40.0  # seconds of processor time
VALUES = (ast.Name, ast.Attribute, ast.Call, ast.BinOp, ast.Subscript)
FORMS = ("({} + 1)", "({} - 1)", "(2 * {})", "({} / 2)", "(-{})")
MIN_WRONG = 2  # probes with answers that differ from the right ones


class StepCode(NamedTuple):
    """Part of a step that can be changed: a text that defines `name`.

    `space` is the text's namespace. `whole` makes the step from the changed function. If the step
    calls the function `name`, `calls` is the step's own expression, and `around` is the namespace
    of that expression. If the step is the recipe's whole function, `right` is that function.
    """

    step: str
    name: str
    text: str
    space: Mapping[str, Any]
    whole: Callable[[Callable[..., Any]], Callable[..., Any]]
    calls: str = ""
    around: Mapping[str, Any] = {}
    right: Callable[..., Any] | None = None


def step_codes(recipe: Recipe, root: Path) -> Iterator[StepCode]:
    """Yield the steps, then the course's functions that they call, in the order of the recipe."""
    lambdas = {name: found for name, step in recipe.steps.items() if (found := _lambda(step))}
    for name, (text, space) in lambdas.items():
        yield StepCode(
            name, "step", f"def step({STATE}):\n    return {text}\n", space, whole=lambda f: f
        )
    for name, (text, space) in lambdas.items():
        yield from _called(name, text, space, root)
    if callable(recipe.of) and recipe.function in recipe.steps:
        right = recipe.of
        text = function_text(right, root)
        if text and isinstance(right, FunctionType):
            whole = functools.partial(of_arguments, right=right)
            yield StepCode(
                recipe.function, right.__name__, text, right.__globals__, whole, right=right
            )


def _called(step: str, text: str, space: Mapping[str, Any], root: Path) -> Iterator[StepCode]:
    """Yield functions of the course that the expression of a step calls."""
    names = [
        n.func.id
        for n in ast.walk(ast.parse(text))
        if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)
    ]
    for name in dict.fromkeys(names):
        function = space.get(name)
        source = function_text(function, root)
        if not source or not isinstance(function, FunctionType) or function.__name__ != name:
            continue

        def whole(changed: Callable[..., Any], name: str = name) -> Callable[..., Any]:
            made = eval(f"lambda {STATE}: {text}", {**space, name: changed})
            assert callable(made)
            return made  # type: ignore[no-any-return]

        yield StepCode(step, name, source, function.__globals__, whole, text, space)


def _lambda(step: Any) -> tuple[str, Mapping[str, Any]] | None:
    """Return a lambda's expression (with `s` for the state) and its namespace, or None."""
    code = getattr(step, "__code__", None)
    if code is None or step.__closure__ or step.__defaults__ or code.co_name != "<lambda>":
        return None
    try:
        tree = ast.parse(Path(code.co_filename).read_text(encoding="utf-8"))
    except (OSError, SyntaxError, ValueError):
        return None
    for node in ast.walk(tree):
        if not isinstance(node, ast.Lambda) or node.lineno != code.co_firstlineno:
            continue
        compiled = eval(compile(ast.Expression(node), "step", "eval"), {}).__code__
        if _shape(compiled) == _shape(code):
            state = node.args.args[0].arg
            for name in ast.walk(node.body):
                if isinstance(name, ast.Name) and name.id == state:
                    name.id = STATE
            return ast.unparse(node.body), step.__globals__
    return None


def _shape(code: CodeType) -> tuple[object, ...]:
    plain = [const for const in code.co_consts if not isinstance(const, CodeType)]
    return code.co_code, code.co_names, code.co_varnames, plain


def function_text(function: Any, root: Path) -> str:
    """Return a course function's text without annotations and docstring; "" for other code."""
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
    return ast.unparse(_Bare().visit(node)) + "\n"


class _Bare(ast.NodeTransformer):
    """Transformer that removes annotations and docstrings from functions."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        node.returns = None
        given = node.args
        for arg in (*given.posonlyargs, *given.args, *given.kwonlyargs):
            arg.annotation = None
        if ast.get_docstring(node) is not None and len(node.body) > 1:
            node.body = node.body[1:]
        self.generic_visit(node)
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.stmt:
        if node.value is None:
            return node
        return ast.copy_location(ast.Assign([node.target], node.value), node)


def seen_names(text: str, space: Mapping[str, Any]) -> dict[str, Any]:
    """Return the names in a namespace that a text uses, with their values."""
    tree = ast.parse(text)
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    bound = {
        n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    }
    bound |= {n.arg for n in ast.walk(tree) if isinstance(n, ast.arg)}
    bound |= {n.name for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)}
    free = sorted(name for name in names - bound if not hasattr(builtins, name))
    return {name: space[name] for name in free if name in space}


def import_line(name: str, value: Any, space: Mapping[str, Any]) -> str:
    """Return the line with which another module can import a name of a namespace."""
    if isinstance(value, ModuleType):
        return f"import {value.__name__}" + (f" as {name}" if name != value.__name__ else "")
    module, real = getattr(value, "__module__", None), getattr(value, "__name__", None)
    if (
        not isinstance(real, str)
        or vars(sys.modules.get(str(module), object)).get(real) is not value
    ):
        module, real = space["__name__"], name
    return f"from {module} import {real}" + (f" as {name}" if name != real else "")


class ChangedStep(msgspec.Struct, frozen=True):
    """Wrong step as text: `text` defines `name`, and `before` is the original text.

    If the step calls the function `name`, `calls` is the step's expression. `imports` are lines
    that both texts need. If the step is the recipe's whole function, `right` imports that function.
    """

    step: str
    name: str
    before: str
    text: str
    calls: str = ""
    imports: tuple[str, ...] = ()
    right: str = ""

    @property
    def lines(self) -> list[tuple[str, str]]:
        """The changed lines, each as a pair of old and new text."""
        before, after = self.before.splitlines(), self.text.splitlines()
        if len(before) != len(after):
            return [(self.before.strip(), self.text.strip())]
        pairs = zip(before, after, strict=True)
        return [(one.strip(), other.strip()) for one, other in pairs if one != other]


def changed_step(answers: GroupAnswers, root: Path) -> ChangedStep | None:
    """Return the first change after which a step gives the group's answers to every probe, or None.

    The same course and answers give the same change.
    """
    replay = answers.replay
    wrong = [
        number
        for number, outcome in enumerate(answers.outcomes[0])
        if not outcome.raised and not replay.is_right(number, outcome)
    ]
    if len(wrong) < MIN_WRONG:
        return None
    order = [*wrong, *(n for n in range(len(answers.outcomes[0])) if n not in wrong)]
    with contextlib.suppress(CpuLimitExceeded), cpu_limit(SECONDS):
        for code in step_codes(replay.recipe, root):
            for text in dict.fromkeys(_texts(code, replay.recipe)):
                if _answers_so(code, text, answers, order):
                    return _found(code, text)
    return None


def _texts(code: StepCode, recipe: Recipe) -> Iterator[str]:
    """Yield the text with one change at a time; the simplest changes come first."""
    try:
        tree = Tree(Unit(code.step, code.text))
    except (SyntaxError, ValueError, RecursionError):
        return
    for edit in edits((tree,), frozenset()):
        yield tree.applied(edit.spans)
    yield from _by_a_number(tree)
    known = [*recipe.parameters, *recipe.steps]
    if code.step in known and not code.calls:
        known = known[: known.index(code.step)]
    for node in tree.nodes:
        if not isinstance(node, ast.Attribute) or not isinstance(node.value, ast.Name):
            continue
        if node.value.id == STATE:
            others = (name for name in known if name != node.attr)
            yield from (_put(tree, node, f"{STATE}.{name}") for name in others)


def _by_a_number(tree: Tree) -> Iterator[str]:
    """Yield the text with one value increased or decreased by 1, doubled, halved or negated."""
    for node in tree.nodes:
        parent = tree.parent.get(node)
        is_read = isinstance(getattr(node, "ctx", ast.Load()), ast.Load)
        is_function = isinstance(parent, ast.Call) and parent.func is node
        if isinstance(node, VALUES) and is_read and not is_function:
            text = tree.operand(node)
            yield from (_put(tree, node, form.format(text)) for form in FORMS)


def _put(tree: Tree, node: ast.AST, text: str) -> str:
    start, end = tree.span(node)
    return tree.applied((Span(start, end, text),))


def _answers_so(code: StepCode, text: str, answers: GroupAnswers, order: list[int]) -> bool:
    """Return whether the changed text gives the answers of every submission in the group."""
    space = dict(code.space)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(compile(text, code.step, "exec"), space)
            wrong = Misconception("", "", (), {code.step: code.whole(space[code.name])})
    except Exception:  # invalid Python, or a default that raises
        return False
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return all(
            answers.replay.fits(number, each[number], (wrong,))
            for number in order
            for each in answers.outcomes
        )


def _found(code: StepCode, text: str) -> ChangedStep:
    needed = {n: import_line(n, v, code.space) for n, v in seen_names(text, code.space).items()}
    if code.calls:
        around = seen_names(f"lambda {STATE}: {code.calls}", code.around)
        needed |= {n: import_line(n, v, code.around) for n, v in around.items()}
        needed.pop(code.name, None)
    right = ""
    if code.right is not None:
        real = code.right.__name__
        right = f"from {code.right.__module__} import {real} as right"
    imports = tuple(sorted(set(needed.values())))
    return ChangedStep(code.step, code.name, code.text, text, code.calls, imports, right)
