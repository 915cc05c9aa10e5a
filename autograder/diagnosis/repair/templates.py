"""Expressions from the course's correct answers, with the student's names, as candidate edits.

A template replaces only a similar expression. A whole answer would repair everything, and would not
show where the mistake is.
"""

import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import msgspec

from autograder.diagnosis.repair.tree import (
    Change,
    Function,
    Tree,
    imported_names,
    is_stored,
    parameters_of,
)

ALIKE = 0.5  # the smallest share of tokens that an expression and a template must have in common
BEST = 6  # the most templates that are tried for an expression
LEAST, MOST = 3, 40  # numbers of tokens
KINDS = ast.BinOp | ast.Call | ast.Subscript | ast.Compare | ast.Tuple | ast.IfExp | ast.UnaryOp
_NAME = re.compile(r"(?<![.\w])[A-Za-z_]\w*")
_TOKEN = re.compile(r"\w+|[^\w\s.,()\[\]]")  # brackets and commas do not count as similarity
BUILT_IN = {"len", "range", "sum", "max", "min", "float", "int", "abs", "tuple", "list", "True"}


class Template(msgspec.Struct, frozen=True):
    """Expression of a function in a correct answer.

    `names` are the names that it uses, and `modules` those that its file imports.
    """

    text: str
    function: str
    parameters: tuple[str, ...]
    names: tuple[str, ...]
    modules: frozenset[str]


def templates(right_answers: Iterable[Path]) -> tuple[Template, ...]:
    """Return the templates of the correct answers in these files."""
    found: dict[tuple[str, str], Template] = {}
    for path in right_answers:
        try:
            root = ast.parse(path.read_text(encoding="utf-8"))
        except (OSError, ValueError, SyntaxError):
            continue
        modules = frozenset(imported_names(root))
        functions = [node for node in ast.walk(root) if isinstance(node, Function)]
        for function in functions:
            for node in ast.walk(function):
                is_read = isinstance(getattr(node, "ctx", ast.Load()), ast.Load)
                if not isinstance(node, KINDS) or not is_read:
                    continue
                name, text = function.name, ast.unparse(node)
                if LEAST <= len(_TOKEN.findall(text)) <= MOST:
                    names = [part for part in ast.walk(node) if isinstance(part, ast.Name)]
                    bound = {part.id for part in names if is_stored(part)}
                    free = dict.fromkeys(part.id for part in names if part.id not in bound)
                    parameters = tuple(parameters_of(function))
                    template = Template(text, name, parameters, tuple(free), modules)
                    found.setdefault((name, text), template)
    return tuple(found.values())


def template_changes(tree: Tree, node: ast.AST, known: Sequence[Template]) -> Iterator[Change]:
    """Yield the templates that are similar to an expression, the most similar first."""
    if not isinstance(node, KINDS) or not known:
        return
    owner = tree.owner[node]
    own = Counter(_TOKEN.findall(ast.unparse(node)))
    if owner is None or not LEAST <= sum(own.values()) <= MOST:
        return
    methods = {arg.arg for arg in owner.args.args} & {"self"}
    scope = [*tree.scope(node), *sorted(tree.imported), *sorted(BUILT_IN | methods)]
    texts = dict.fromkeys(_renamed(template, owner, scope) for template in known)
    similar = [(-_alike(own, Counter(_TOKEN.findall(text))), text) for text in texts if text]
    for share, text in sorted(similar)[:BEST]:
        if ALIKE <= -share < 1.0:
            yield tree.put("expression", node, text, -share)


def _renamed(template: Template, owner: Function, scope: Sequence[str]) -> str:
    """Return a template's text with the student's names, or an empty text if names are missing.
    Parameters are renamed by position. If one other name is unknown, a local name replaces it.
    """
    parameters = parameters_of(owner)
    new_names: dict[str, str] = {}
    if template.function == owner.name and len(parameters) == len(template.parameters):
        new_names = dict(zip(template.parameters, parameters, strict=True))
    unknown = [name for name in template.names if new_names.get(name, name) not in scope]
    if len(unknown) > 1 or template.modules & set(unknown):
        return ""
    if unknown:
        taken = {*parameters, *new_names.values(), *template.names}
        local = next((name for name in scope if name not in taken), "")
        if not local or local in BUILT_IN:
            return ""
        new_names[unknown[0]] = local
    return _NAME.sub(lambda name: new_names.get(name[0], name[0]), template.text)


def _alike(one: Counter[str], other: Counter[str]) -> float:
    """Return the share of tokens, from 0 to 1, that two expressions have in common.

    It is the mean of two shares: of all tokens, and of the tokens of the shorter expression.
    """
    common, sizes = sum((one & other).values()), (sum(one.values()), sum(other.values()))
    return common / sum(sizes) + common / max(1, 2 * min(sizes))
