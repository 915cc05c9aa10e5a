"""A step of the course's recipe with one thing changed that answers as a group of students does.

Only the course's own code is changed and run here. What a student wrote is never run beside it.
"""

import ast
import contextlib
import warnings
from collections.abc import Iterator
from pathlib import Path

import msgspec

from autograder.diagnosis.family import Misconception
from autograder.diagnosis.recipe import Recipe
from autograder.grading.overtime import Overtime, at_most
from autograder.naming.answering import GroupAnswers
from autograder.naming.step_code import STATE, StepCode, import_line, seen_names, step_codes
from autograder.repair.edits import edits
from autograder.repair.tree import Span, Tree
from autograder.worker.messages import Unit

SECONDS = 40.0  # of the processor
VALUES = (ast.Name, ast.Attribute, ast.Call, ast.BinOp, ast.Subscript)
FORMS = ("({} + 1)", "({} - 1)", "(2 * {})", "({} / 2)", "(-{})")
TELLING = 2  # so many probes have to tell it from the right answer


class ChangedStep(msgspec.Struct, frozen=True):
    """A step done wrong, as text: `text` defines `name`, and `before` is what stood there.

    `calls` is the step's expression, where `name` is a function that it calls. `imports` are the
    lines that both need. `right` is such a line for the whole function, where that is the step.
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
        """The lines that differ, as they were and as they are."""
        before, after = self.before.splitlines(), self.text.splitlines()
        if len(before) != len(after):
            return [(self.before.strip(), self.text.strip())]
        pairs = zip(before, after, strict=True)
        return [(one.strip(), other.strip()) for one, other in pairs if one != other]


def changed_step(answers: GroupAnswers, root: Path) -> ChangedStep | None:
    """The first change after which a step answers every probe as all of the group do.

    None where no small change does; the same course and answers give the same.
    """
    replay = answers.replay
    wrong = [
        number
        for number, outcome in enumerate(answers.outcomes[0])
        if not outcome.raised and not replay.is_right(number, outcome)
    ]
    if len(wrong) < TELLING:
        return None
    order = [*wrong, *(n for n in range(len(answers.outcomes[0])) if n not in wrong)]
    with contextlib.suppress(Overtime), at_most(SECONDS):
        for code in step_codes(replay.recipe, root):
            for text in dict.fromkeys(_texts(code, replay.recipe)):
                if _answers_so(code, text, answers, order):
                    return _found(code, text)
    return None


def _texts(code: StepCode, recipe: Recipe) -> Iterator[str]:
    """The text with one thing changed, in all ways, the plainest first."""
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
    """Each value one more, one less, twice as much, half of it, or with the other sign."""
    for node in tree.nodes:
        parent = tree.parent.get(node)
        is_read = isinstance(getattr(node, "ctx", ast.Load()), ast.Load)
        is_function = isinstance(parent, ast.Call) and parent.func is node
        if isinstance(node, VALUES) and is_read and not is_function:
            text = tree.operand(node)
            yield from (_put(tree, node, form.format(text)) for form in FORMS)


def _put(tree: Tree, node: ast.AST, text: str) -> str:
    """The text with another in a node's place."""
    start, end = tree.span(node)
    return tree.applied((Span(start, end, text),))


def _answers_so(code: StepCode, text: str, answers: GroupAnswers, order: list[int]) -> bool:
    """Whether a changed text answers as each of the group did."""
    space = dict(code.space)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(compile(text, code.step, "exec"), space)
            wrong = Misconception("", "", (), {code.step: code.whole(space[code.name])})
    except Exception:  # no Python, or a default that cannot be made
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
