"""The student's source as a module: each top-level statement runs, whatever became of the others.

So a file is what a notebook's cells are: a line that fails, a `pip` command, an import of what
is not here, costs itself and what uses it, and none of the functions around it.
"""

import builtins
import sys
from collections.abc import Sequence
from types import ModuleType

from .failures import explain
from .imports import HIDDEN, IN_NOTEBOOKS, QUIET_NOTEBOOK, HelperFinder, NotImported
from .magics import without_magics
from .messages import Problem, Unit
from .statements import Statements, remember_lines

MAX_PROBLEMS = 10
MAX_CODE = 1 << 20


def load(
    name: str, units: Sequence[Unit], helpers: dict[str, str], hidden: Sequence[str]
) -> tuple[ModuleType, list[Problem]]:
    """Run the units as the module `name`; the problems say which lines failed, and how."""
    sys.meta_path.insert(0, HelperFinder(helpers, [*hidden, *HIDDEN]))
    _be_like_a_notebook()
    module = ModuleType(name)
    module.__file__ = f"{name}.py"
    sys.modules[name] = module
    loading = _Loading(module, {u.label for u in units} | {f"{helper}.py" for helper in helpers})
    for unit in units:
        loading.run(unit)
    return module, loading.problems


def compiled(units: Sequence[Unit]) -> list[bytes]:
    """The code of each unit; nothing of what cannot be compiled, or is too much to send about."""
    found, futures, size = [], 0, 0
    for unit in units:
        try:
            statements = Statements(without_magics(unit.text, unit.label), unit.label, futures)
            code = statements.to_bytes()
        except Exception:
            code = b""
        else:
            futures = statements.futures
        size += len(code)
        found.append(code if size <= MAX_CODE else b"")
    return found


class _Loading:
    """A module in the making: its namespace, and what went wrong so far."""

    def __init__(self, module: ModuleType, labels: set[str]) -> None:
        self.module = module
        self.labels = labels
        self.problems: list[Problem] = []
        self.futures = 0

    def run(self, unit: Unit) -> None:
        try:
            text = without_magics(unit.text, unit.label)
            remember_lines(text, unit.label)
            if unit.code:
                statements = Statements.from_bytes(unit.code)
            else:
                statements = Statements(text, unit.label, self.futures)
        except BaseException as error:
            self._note(error)
            return
        self.futures = statements.futures
        if statements.docstring is not None and self.module.__doc__ is None:
            self.module.__doc__ = statements.docstring
        namespace = self.module.__dict__
        for statement in statements.compiled:
            try:
                exec(statement.code, namespace)
            except BaseException as error:
                self._note(error)
                for name in statement.names:
                    why = _why(error, statement.line, unit.label)
                    namespace.setdefault(name, NotImported(why))

    def _note(self, error: BaseException) -> None:
        if len(self.problems) < MAX_PROBLEMS:
            self.problems.append(explain(error, self.labels))


def _why(error: BaseException, line: int, label: str) -> str:
    try:
        said = str(error)[:200]
    except BaseException:
        said = "it cannot be imported"
    return f"{said} (imported in line {line} of {label})"


def _be_like_a_notebook() -> None:
    """What a notebook has without an import: `get_ipython` in its exports, `display` in cells."""
    notebook = ModuleType("IPython")
    exec(QUIET_NOTEBOOK.get_code("IPython"), notebook.__dict__)
    for name in IN_NOTEBOOKS:
        setattr(builtins, name, vars(notebook)[name])


def define(name: str, units: Sequence[Unit]) -> ModuleType:
    """A text of the course's as a module of its own; no student's code can import it by name.

    Raises:
        Exception: what the text raises, which is a mistake in the course.
    """
    module = ModuleType(name)
    for unit in units:
        exec(compile(unit.text, unit.label, "exec", dont_inherit=True), module.__dict__)
    return module
