"""Edits that undo the loss of a name: what it stood for is needed again further down."""

import ast
from collections.abc import Iterator

from autograder.repair.change import Change
from autograder.repair.tree import Function, Tree

NEXT_USES = 3  # that are meant to have the new value


def kept_apart(tree: Tree) -> Iterator[list[tuple[ast.AST, Change]]]:
    """For each name that gets a second value: a name of its own for it and for its next uses.

    The uses after these have the value before again.
    """
    for node in tree.nodes:
        if not isinstance(node, ast.Assign) or len(node.targets) != 1:
            continue
        target, owner = node.targets[0], tree.owner[node]
        if not isinstance(target, ast.Name) or owner is None or not _had_a_value(owner, target):
            continue
        uses = [
            each
            for each in tree.nodes
            if isinstance(each, ast.Name)
            and each.id == target.id
            and isinstance(each.ctx, ast.Load)
            and tree.owner[each] is owner
            and each.lineno > (node.end_lineno or node.lineno)
        ]
        for count in range(1, min(NEXT_USES + 1, len(uses))):
            places: list[ast.AST] = [target, *uses[:count]]
            new = f"{target.id}_of_its_own"
            yield [(each, Change("name", tree.replaced(each, new), 1.5)) for each in places]


def _had_a_value(owner: Function, target: ast.Name) -> bool:
    given = owner.args
    if target.id in [arg.arg for arg in (*given.posonlyargs, *given.args, *given.kwonlyargs)]:
        return True
    return any(
        isinstance(each, ast.Name)
        and each.id == target.id
        and isinstance(each.ctx, ast.Store)
        and each.lineno < target.lineno
        for each in ast.walk(owner)
    )
