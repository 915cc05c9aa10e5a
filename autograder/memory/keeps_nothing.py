"""Whether a source can be shown to keep nothing from one call to the next.

The proof reads syntax alone, and takes only what it knows: functions that read their arguments,
constants, other functions and what `vocabulary` lists of libraries; classes whose methods set
attributes of `self` alone. What is left are the libraries' common random generators, which a
process puts back (`worker/renewal.py`). All else is doubt, and costs processes of its own.
"""

import ast
import builtins
import symtable
from collections.abc import Mapping, Sequence

from autograder.memory.allowed_statements import check_statements
from autograder.memory.bound import Bound, Doubt, names_of, never_runs
from autograder.memory.vocabulary import BUILTINS, NOT_ALONE, RAISED
from autograder.submission.code import MAX_PARSED, parsed
from autograder.submission.source import Source
from autograder.worker.magics import without_magics
from autograder.worker.messages import Unit

ALWAYS = BUILTINS | RAISED | NOT_ALONE
HIDDEN = frozenset(dir(builtins)) - ALWAYS


class Proof:
    """What is known of one submission, over all its processes: does its code keep nothing?

    The proof is of what the file defines. Whatever else is called may hold something from the load
    on: then nothing more is believed.
    """

    def __init__(self) -> None:
        self._defined: frozenset[str] | None = None
        self._called: set[str] = set()

    def called(self, target: str) -> None:
        """Note what is called."""
        self._called.add(target.partition(".")[0])

    def keeps_nothing(self, source: Source) -> bool:
        """Whether a process in which these calls ran is like one in which nothing ran."""
        if self._defined is None:
            self._defined = proven(source)
        return bool(self._defined) and self._called <= self._defined


def proven(source: Source) -> frozenset[str]:
    """The functions and classes of a source that keeps nothing; none of one that may."""
    try:
        return _proven(source)
    except (Doubt, SyntaxError, ValueError, RecursionError, MemoryError):
        return frozenset()


def doubt(source: Source) -> str:
    """What stands in the way of the proof, with its line; empty where nothing does."""
    try:
        _proven(source)
    except Doubt as found:
        return f"{found} (line {found.line})"
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return f"what cannot be read: {type(error).__name__}"
    return ""


def _proven(source: Source) -> frozenset[str]:
    beside: dict[str, Bound] = {}
    waiting = dict(source.helpers)
    while waiting:  # those first that import none of the others
        ready = [name for name in waiting if not _names_any(waiting[name], waiting, name)]
        if not ready:
            raise Doubt("files that import each other")
        for name in ready:
            beside[name] = _file([Unit(f"{name}.py", waiting.pop(name))], beside)
    names = _file(source.units, beside)
    return frozenset(names.functions | names.classes)


def _names_any(text: str, others: Mapping[str, str], own: str) -> bool:
    return any(name in text for name in others if name != own)


def _file(units: Sequence[Unit], beside: Mapping[str, Bound]) -> Bound:
    """What a file binds, if it keeps nothing.

    Raises:
        Doubt: it may.
    """
    if sum(len(unit.text) for unit in units) > MAX_PARSED:
        raise Doubt("its size")
    trees: list[list[ast.stmt]] = []
    for unit in units:
        tree = parsed(unit)
        if tree is None:
            raise Doubt("what is no Python")
        trees.append(tree)
    names = names_of(trees, beside)
    bound = names.readable | names.made
    if bound & HIDDEN:
        raise Doubt(f"{min(bound & HIDDEN)}, which is Python's own")
    allowed = names.readable | (ALWAYS - names.made)
    for unit, tree in zip(units, trees, strict=True):
        table = symtable.symtable(_what_runs(unit, tree), unit.label, "exec")
        for symbol in table.get_symbols():
            if symbol.is_referenced() and symbol.get_name() not in bound | ALWAYS | {"__name__"}:
                raise Doubt(f"{symbol.get_name()}, which the file reads")
        for child in table.get_children():
            at_once = child.get_name() in {"listcomp", "dictcomp", "genexpr"}
            _check_scope(child, allowed | names.made if at_once else allowed)
    for tree in trees:
        check_statements(tree, names)
    return names


def _what_runs(unit: Unit, tree: Sequence[ast.stmt]) -> str:
    """The text of a unit, with empty lines for what does not run where it is graded."""
    lines = without_magics(unit.text, unit.label).split("\n")
    for statement in filter(never_runs, tree):
        for line in range(statement.lineno - 1, statement.end_lineno or statement.lineno):
            lines[line] = ""
    return "\n".join(lines)


def _check_scope(table: symtable.SymbolTable, allowed: set[str] | frozenset[str]) -> None:
    """Pass if what a function reads of the file's names cannot be changed.

    Raises:
        Doubt: it can, or the function may change it.
    """
    for symbol in table.get_symbols():
        name = symbol.get_name()
        if symbol.is_declared_global():
            raise Doubt(f"global {name}")
        if symbol.is_global() and name not in allowed:
            raise Doubt(f"{name}, which a function reads")
    for child in table.get_children():
        _check_scope(child, allowed)
