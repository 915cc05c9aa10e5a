"""Loading of the student's source as a module, even if top-level statements fail.

A file runs like the cells of a notebook. If a line fails, is a `pip` command, or imports a missing
module, only code that uses its result fails.
"""

import builtins
import importlib.abc
import importlib.machinery
import importlib.util
import marshal
import os
import sys
from collections.abc import Iterator, Sequence
from types import CodeType, ModuleType
from typing import Any, NoReturn

from .failures import explain, said
from .messages import MAX_CODE, Problem, Unit
from .statements import Compiled, compiled, remember_lines, without_magics

HIDDEN = ("autograder", "autograder_worker")
MAX_PROBLEMS = 10
NOTHING_TO_CHECK = "def check(*_, **__):\n    return 0.0\n"
QUIET = ("IPython", "google.colab", "ipywidgets")

# Operations that do not work with a stand-in, because it has no value.
COMPUTES = """
contains float int index lt le gt ge add radd sub rsub mul rmul truediv rtruediv floordiv rfloordiv
mod rmod pow rpow matmul rmatmul neg pos abs round and rand setitem array array_ufunc
""".split()  # noqa: SIM905


class _Quiet:
    """Stand-in that does nothing, for features of notebooks such as `get_ipython`."""

    __module__ = "IPython"  # shown if the stand-in is printed

    def __getattr__(self, name: str) -> "_Quiet":
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __call__(self, *args: Any, **_: Any) -> Any:
        return args[0] if args and callable(args[0]) else self

    def __iter__(self) -> Iterator[Any]:
        return iter(())

    def __len__(self) -> int:
        return 0

    def __format__(self, _: str) -> str:
        return "(left out)"


def _left_out(*_: Any) -> NoReturn:
    raise TypeError(
        "this value would come from a notebook's magic or shell line (%timeit, !ls), and these "
        "are left out where it is graded"
    )


for _name in ("getitem", *COMPUTES):
    setattr(_Quiet, f"__{_name}__", _left_out)
_quiet = _Quiet()

# Names that a notebook has without an import. Here, all of these names do nothing.
NOTEBOOK: dict[str, Any] = {"get_ipython": lambda: _quiet, "display": lambda *_, **__: None}


class QuietLoader(importlib.abc.Loader):
    """Loader of stand-ins for modules such as IPython. They have every name and do nothing."""

    def exec_module(self, module: ModuleType) -> None:
        names = {"version_info": (9, 0, 0), "__version__": "9.0.0", **NOTEBOOK}
        vars(module).update(names, __getattr__=lambda name: getattr(_quiet, name))


class TextLoader(importlib.abc.InspectLoader):
    """Loader of modules from texts that are in no file. It supports `inspect.getsource`."""

    def __init__(self, texts: dict[str, str]) -> None:
        self.texts = texts

    def get_source(self, fullname: str) -> str:
        return self.texts[fullname]

    def get_code(self, fullname: str) -> CodeType:
        text, label = self.texts[fullname], f"{fullname}.py"
        remember_lines(text, label)
        return compile(text, label, "exec", dont_inherit=True)


class HelperFinder(importlib.abc.MetaPathFinder):
    """Finder of modules in the student's folder. It hides the grader's own packages."""

    def __init__(self, helpers: dict[str, str], hidden: Sequence[str]) -> None:
        # a notebook may call `autograder.check()`; here this call does nothing
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
            loader = QuietLoader()
            return importlib.util.spec_from_loader(name, loader, origin=name, is_package=True)
        frozen = importlib.machinery.FrozenImporter.find_spec(name)
        if name not in sys.builtin_module_names and frozen is None and not _can_open():
            raise ModuleNotFoundError(
                f"No module named {name!r} here: where this was graded, no library can be "
                f"imported that is not loaded beforehand",
                name=name,
            )
        return None


def _can_open() -> bool:
    try:
        os.close(os.open(os.__file__, os.O_RDONLY))
    except OSError:
        return False
    return True


class NotImported:
    """Stand-in for a name after a failed import.

    Each use of the name raises the exception of the import. Only a use in an annotation (`x:
    pd.DataFrame`) raises nothing.
    """

    def __init__(self, error: BaseException) -> None:
        where = f" of {error.filename}" if isinstance(error, SyntaxError) else ""
        other = ImportError(f"{type(error).__name__}{where}: {said(error)}")
        self.__dict__["__error"] = error if isinstance(error, ImportError) else other
        self.__dict__["__traceback"] = error.__traceback__

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
    # with this traceback, the innermost line of the student's code is the import
    raise self.__dict__["__error"].with_traceback(self.__dict__["__traceback"])


_USES = """
call mro_entries iter next len bool enter exit eq ne setattr delattr delitem instancecheck
subclasscheck
""".split()  # noqa: SIM905
for _name in (*COMPUTES, *_USES):
    setattr(NotImported, f"__{_name}__", _used)


def load(
    name: str,
    units: Sequence[Unit],
    helpers: dict[str, str],
    hidden: Sequence[str],
    code: bytes = b"",
) -> tuple[ModuleType, list[Problem]]:
    """Run the units as the module `name`.

    Return the module and a problem for each failed line. `code` is the result of `compiled_units`,
    or empty bytes.
    """
    sys.meta_path.insert(0, HelperFinder(helpers, [*hidden, *HIDDEN]))
    vars(builtins).update(NOTEBOOK)
    module = ModuleType(name)
    module.__file__ = f"{name}.py"
    sys.modules[name] = module
    labels = {unit.label for unit in units} | {f"{helper}.py" for helper in helpers}
    problems: list[Problem] = []
    futures = 0

    def note(error: BaseException) -> None:
        if len(problems) < MAX_PROBLEMS:
            problems.append(explain(error, labels))

    ready: list[Compiled | None] = marshal.loads(code) if code else [None] * len(units)
    for unit, found in zip(units, ready, strict=True):
        try:
            text = without_magics(unit.text, unit.label)
            remember_lines(text, unit.label)
            futures, docstring, statements = found or compiled(text, unit.label, futures)
        except BaseException as error:
            note(error)
            continue
        if docstring is not None and module.__doc__ is None:
            module.__doc__ = docstring
        for statement, bound in statements:
            try:
                exec(statement, module.__dict__)
            except BaseException as error:
                note(error)
                if bound:
                    module.__dict__.setdefault(bound, NotImported(error))
    return module, problems


def compiled_units(units: Sequence[Unit]) -> bytes:
    """Return the compiled units for `load`. If they cannot be stored, return empty bytes.

    All processes of a submission share compiled units, because compiling a long file takes longer
    than running it.
    """
    codes: list[Compiled] = []
    futures = 0
    try:
        for unit in units:
            codes.append(compiled(without_magics(unit.text, unit.label), unit.label, futures))
            futures = codes[-1][0]
        code = marshal.dumps(codes)
    except Exception:  # `load` reports it
        return b""
    return code if len(code) <= MAX_CODE else b""


def define(name: str, units: Sequence[Unit]) -> ModuleType:
    """Run the course's text as a module that students' code cannot import by name."""
    module = ModuleType(name)
    for unit in units:
        exec(compile(unit.text, unit.label, "exec", dont_inherit=True), module.__dict__)
    return module
