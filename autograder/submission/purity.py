"""Proof that a source keeps nothing from one call to the next; then one process serves them all.

It reads syntax only and takes a small language: functions that read their arguments, constants,
other functions and what `purity_vocabulary` lists of Python and NumPy. There are no classes in it,
no texts that code could read, no files beside it. What is left is NumPy's common random generator,
which a process puts back (`worker/renewal.py`). Code outside this language costs processes.
"""

import ast
from typing import Any

from autograder.course.optimisations import is_off
from autograder.submission.code import parsed
from autograder.submission.purity_names import NotPure, check_scopes, top_level_names
from autograder.submission.purity_syntax import check_syntax
from autograder.submission.source import Source
from autograder.worker.remote_functions import of_numbers

MAX_TEXT = 100_000  # characters
MAX_NODES = 12_000
NEVER_RUNS = {"__name__ == '__main__'", "'__main__' == __name__"}


class PurityProof:
    """Purity of one submission, over all its processes.

    It holds for what the file defines, for numbers. Anything else that is called may hold something
    from the load on, and texts can be made to say where objects lie: that ends the proof.
    """

    def __init__(self) -> None:
        self._defined: frozenset[str] | None = None
        self._called: set[str] = set()

    def called(self, target: str, given: Any) -> None:
        """Note what is called, and with what."""
        self._called.add(target)
        if not of_numbers(given):
            self.give_up()

    def answered(self, answer: Any) -> None:
        """Note what the code got for a question of its own."""
        if not of_numbers(answer):
            self.give_up()

    def give_up(self) -> None:
        """Believe nothing more."""
        self._defined = frozenset()

    def is_pure(self, source: Source) -> bool:
        """Return whether a process in which these calls ran is like one in which nothing ran."""
        if self._defined is None:
            self._defined = pure_functions(source)
        return bool(self._defined) and self._called <= self._defined


def pure_functions(source: Source) -> frozenset[str]:
    """Return the functions of a source that keeps nothing; none if it may keep something."""
    if is_off("purity"):
        return frozenset()
    try:
        return _proven(source)
    except Exception:  # what the proof stumbles upon is not proven
        return frozenset()


def impurity(source: Source) -> str:
    """Say why a source is not pure, with the line; nothing if it is."""
    try:
        _proven(source)
    except NotPure as found:
        return f"{found} (line {found.line})"
    except Exception as error:
        return f"what cannot be read: {type(error).__name__}"
    return ""


def _proven(source: Source) -> frozenset[str]:
    """Prove it of all units as one file, without what does not run in grading.

    Raises:
        NotPure: the source may keep something.
    """
    if source.helpers or sum(len(unit.text) for unit in source.units) > MAX_TEXT:
        raise NotPure("files beside it, or its size")
    body: list[ast.stmt] = []
    for unit in source.units:
        statements = parsed(unit)
        if statements is None:
            raise NotPure("what is no Python")
        body += [each for each in statements if not _never_runs(each)]
    tree = ast.Module(body, [])
    if sum(1 for _ in ast.walk(tree)) > MAX_NODES:
        raise NotPure("its size")
    bound = top_level_names(tree)
    check_syntax(tree, bound)
    check_scopes(tree, bound)
    return frozenset(bound.functions)


def _never_runs(node: ast.stmt) -> bool:
    """Return whether it is `if __name__ == "__main__":` and no more than that."""
    return isinstance(node, ast.If) and not node.orelse and ast.unparse(node.test) in NEVER_RUNS
