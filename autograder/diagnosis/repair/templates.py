"""Expressions of the course's right answers, with the student's names, as candidates.

They take the place only of what looks much like them: a template that is a whole answer would
mend everything and say nothing.
"""

import ast
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from autograder.course.course_file import Course
from autograder.diagnosis.repair.tree import Change, Function, Surroundings, imported_names

ALIKE = 0.5  # the share of tokens that an expression and a template must have in common
BEST = 6  # templates for each expression
LEAST, MOST = 3, 40  # tokens
KINDS = ast.BinOp | ast.Call | ast.Subscript | ast.Compare | ast.Tuple | ast.IfExp | ast.UnaryOp
_TOKEN = re.compile(r"\w+|[^\w\s.,()\[\]]")  # brackets and commas make nothing alike
BUILT_IN = {"len", "range", "sum", "max", "min", "float", "int", "abs", "tuple", "list", "True"}


class Template(msgspec.Struct, frozen=True):
    """An expression, the function it is from with its parameters, and the names it needs.

    `modules` are those of the names that its file imports.
    """

    text: str
    function: str
    parameters: tuple[str, ...]
    names: tuple[str, ...]
    modules: frozenset[str]


def templates(course: Course, exercise: str) -> tuple[Template, ...]:
    """Those of the solution and of the right answers in other styles; none where there are none."""
    found: dict[tuple[str, str], Template] = {}
    for path in course.right_answers(exercise):
        for template in _in_file(path):
            found.setdefault((template.function, template.text), template)
    return tuple(found.values())


def template_changes(
    around: Surroundings, node: ast.AST, known: Sequence[Template]
) -> Iterator[Change]:
    """The templates that an expression may have been meant as, the likest first."""
    if not isinstance(node, KINDS) or not known:
        return
    owner = around.tree.owner[node]
    own = Counter(_tokens(ast.unparse(node)))
    if owner is None or not LEAST <= sum(own.values()) <= MOST:
        return
    methods = {arg.arg for arg in owner.args.args} & {"self"}
    scope = [*around.scope(node), *sorted(around.imported), *sorted(BUILT_IN | methods)]
    likest: dict[str, float] = {}
    for template in known:
        text = _renamed(template, owner, scope)
        if text:
            likest[text] = max(likest.get(text, 0.0), _alike(own, Counter(_tokens(text))))
    ranked = sorted(likest.items(), key=lambda each: (-each[1], each[0]))
    for text, share in ranked[:BEST]:
        if ALIKE <= share < 1.0:
            yield around.put("expression", node, text, share)


def _in_file(path: Path) -> Iterator[Template]:
    try:
        root = ast.parse(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, SyntaxError):
        return
    modules = frozenset(imported_names(root))
    for function in ast.walk(root):
        if not isinstance(function, Function):
            continue
        given = function.args
        parameters = tuple(arg.arg for arg in (*given.posonlyargs, *given.args, *given.kwonlyargs))
        for node in ast.walk(function):
            if isinstance(node, KINDS) and isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
                text = ast.unparse(node)
                if LEAST <= len(_tokens(text)) <= MOST:
                    yield Template(text, function.name, parameters, _free(node), modules)


def _free(node: ast.AST) -> tuple[str, ...]:
    """The names that an expression needs, without those that it binds itself."""
    names = [each for each in ast.walk(node) if isinstance(each, ast.Name)]
    bound = {each.id for each in names if isinstance(each.ctx, ast.Store)}
    return tuple(dict.fromkeys(each.id for each in names if each.id not in bound))


def _renamed(template: Template, owner: Function, scope: Sequence[str]) -> str:
    """A template with the student's names: parameters by their place, one local name by guess."""
    given = owner.args
    mine = [arg.arg for arg in (*given.posonlyargs, *given.args, *given.kwonlyargs)]
    roles: dict[str, str] = {}
    if template.function == owner.name and len(mine) == len(template.parameters):
        roles = dict(zip(template.parameters, mine, strict=True))
    unknown = [name for name in template.names if roles.get(name, name) not in scope]
    if len(unknown) > 1 or template.modules & set(unknown):
        return ""
    if unknown:
        local = [name for name in scope if name not in mine and name not in roles.values()]
        free = [name for name in local if name not in template.names]
        roles[unknown[0]] = free[0] if free and free[0] not in BUILT_IN else ""
        if not roles[unknown[0]]:
            return ""
    return re.sub(
        r"(?<![.\w])[A-Za-z_]\w*", lambda name: roles.get(name[0], name[0]), template.text
    )


def _tokens(text: str) -> list[str]:
    return _TOKEN.findall(text)


def _alike(one: Counter[str], other: Counter[str]) -> float:
    """From 0 to 1: the tokens that two expressions have in common, of both and of the shorter."""
    common, sizes = sum((one & other).values()), (sum(one.values()), sum(other.values()))
    return common / sum(sizes) + common / max(1, 2 * min(sizes))
