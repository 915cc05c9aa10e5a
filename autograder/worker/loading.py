"""The student's source as a module: each top-level statement runs, whatever became of the others.

So a file is what a notebook's cells are: a line that fails, a `pip` command, an import of what
is not here, costs itself and what uses it, and none of the functions around it.
"""

import builtins
import importlib.abc
import importlib.machinery
import importlib.util
import os
import sys
from collections.abc import Sequence
from types import CodeType, ModuleType
from typing import Any, NoReturn

from .failures import explain
from .messages import Problem, Unit
from .statements import Statements, remember_lines, without_magics

HIDDEN = ("autograder", "autograder_worker")
MAX_PROBLEMS = 10
MAX_CODE = 1 << 20
NOTHING_TO_CHECK = "def check(*_, **__):\n    return 0.0\n"

# What a notebook has without an import. There is no notebook here, so all of it does nothing.
NOTEBOOK = """\
class _Quiet:
    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __call__(self, *args, **_):
        return args[0] if args and callable(args[0]) else self

    def __iter__(self):
        return iter(())

    def __len__(self):
        return 0

    def __format__(self, _):
        return "(left out)"


def _left_out(*_):
    raise TypeError(
        "this value would come from a notebook's magic or shell line (%timeit, !ls), and these "
        "are left out where it is graded"
    )


for _name in (
    "getitem setitem contains float int index lt le gt ge add radd sub rsub mul rmul truediv "
    "rtruediv floordiv rfloordiv mod rmod pow rpow matmul rmatmul neg abs round array array_ufunc"
).split():
    setattr(_Quiet, f"__{_name}__", _left_out)
_quiet = _Quiet()
version_info, __version__ = (9, 0, 0), "9.0.0"


def get_ipython():
    return _quiet


def display(*_, **__):
    return None


def __getattr__(name):
    return getattr(_quiet, name)
"""
IN_NOTEBOOKS = ("get_ipython", "display")
QUIET = ("IPython", "google.colab", "ipywidgets")


class TextLoader(importlib.abc.InspectLoader):
    """A module from texts, so that nothing need be a file and `inspect.getsource` still works."""

    def __init__(self, texts: dict[str, str]) -> None:
        self.texts = texts

    def get_source(self, fullname: str) -> str:
        return self.texts[fullname]

    def get_code(self, fullname: str) -> CodeType:
        text, label = self.texts[fullname], f"{fullname}.py"
        remember_lines(text, label)
        return compile(text, label, "exec", dont_inherit=True)


class Notebook(importlib.abc.InspectLoader):
    """IPython and its like: any name of theirs is there, and does nothing."""

    def get_source(self, fullname: str) -> str:  # noqa: ARG002
        return NOTEBOOK

    def get_code(self, fullname: str) -> CodeType:
        return compile(NOTEBOOK, f"{fullname}.py", "exec", dont_inherit=True)


class HelperFinder(importlib.abc.MetaPathFinder):
    """Finds the files that lie beside the student's, and hides the grader's own packages."""

    def __init__(self, helpers: dict[str, str], hidden: Sequence[str]) -> None:
        # a notebook calls `autograder.check()`; here that does nothing
        self.loader = TextLoader({**helpers, "autograder": NOTHING_TO_CHECK})
        self.hidden = set(hidden)

    def find_spec(
        self, name: str, _path: object = None, _target: object = None
    ) -> importlib.machinery.ModuleSpec | None:
        if name in self.loader.texts:
            origin = name if name == "autograder" else f"{name}.py"
            return importlib.util.spec_from_loader(name, self.loader, origin=origin)
        if name.split(".", maxsplit=1)[0] in self.hidden:
            raise ModuleNotFoundError(f"{name} is not there for submissions", name=name)
        if any(f"{name}.".startswith(f"{each}.") or each.startswith(f"{name}.") for each in QUIET):
            return importlib.util.spec_from_loader(name, Notebook(), origin=name, is_package=True)
        frozen = importlib.machinery.FrozenImporter.find_spec(name)
        if name not in sys.builtin_module_names and frozen is None and not _can_open():
            raise ModuleNotFoundError(
                f"No module named {name!r} here: where this was graded, no library can be "
                f"imported that is not loaded beforehand",
                name=name,
            )
        return None


def _can_open() -> bool:
    """Return whether libraries' files can be opened at all: on the level `no-open` none can."""
    try:
        os.close(os.open(os.__file__, os.O_RDONLY))
    except OSError:
        return False
    return True


class NotImported:
    """Stands for a name whose import failed: whoever uses it is told of the import.

    Naming it costs nothing, as annotations do (`x: pd.DataFrame`, `Float[Array, "n"]`).
    """

    def __init__(self, why: str) -> None:
        self.__dict__["__why"] = why

    def __getattr__(self, name: str) -> "NotImported":
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __getitem__(self, _key: object) -> "NotImported":
        return self

    def __or__(self, _other: object) -> "NotImported":
        return self

    __ror__ = __or__


def _used(self: NotImported, *_: Any, **__: Any) -> NoReturn:
    raise ImportError(self.__dict__["__why"])


_USES = """
call mro_entries iter next len bool enter exit array contains index int float eq ne lt le gt ge
setitem delitem setattr delattr add radd sub rsub mul rmul truediv rtruediv floordiv rfloordiv mod
rmod pow rpow matmul rmatmul neg pos abs and rand array_ufunc
instancecheck subclasscheck
""".split()  # noqa: SIM905
for _name in _USES:
    setattr(NotImported, f"__{_name}__", _used)


def load(
    name: str, units: Sequence[Unit], helpers: dict[str, str], hidden: Sequence[str]
) -> tuple[ModuleType, list[Problem]]:
    """Run the units as the module `name`; the problems say which lines failed, and how."""
    sys.meta_path.insert(0, HelperFinder(helpers, [*hidden, *HIDDEN]))
    notebook = ModuleType("IPython")
    exec(Notebook().get_code("IPython"), notebook.__dict__)
    for each in IN_NOTEBOOKS:
        setattr(builtins, each, vars(notebook)[each])
    module = ModuleType(name)
    module.__file__ = f"{name}.py"
    sys.modules[name] = module
    loading = _Loading(module, {u.label for u in units} | {f"{helper}.py" for helper in helpers})
    for unit in units:
        loading.run(unit)
    return module, loading.problems


def compiled(units: Sequence[Unit]) -> list[bytes]:
    """Return the code of each unit; nothing of what is no Python, or too much to send about."""
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
        """Run each statement of a unit; note those that fail, and what cannot be imported."""
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


def define(name: str, units: Sequence[Unit]) -> ModuleType:
    """Run a text of the course's as a module that no student's code can import by name.

    Raises:
        Exception: what the text raises, which is a mistake in the course.
    """
    module = ModuleType(name)
    for unit in units:
        exec(compile(unit.text, unit.label, "exec", dont_inherit=True), module.__dict__)
    return module
