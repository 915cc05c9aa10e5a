"""What a submission's imports find: the files beside it, a quiet notebook, and what is missing."""

import importlib.abc
import importlib.machinery
import importlib.util
import linecache
import os
import sys
from collections.abc import Sequence
from types import CodeType
from typing import Any, NoReturn

HIDDEN = ("autograder", "autograder_worker")

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
        linecache.cache[label] = (len(text), None, text.splitlines(keepends=True), label)
        return compile(text, label, "exec", dont_inherit=True)


class Notebook(TextLoader):
    """IPython and its like: any name of theirs is there, and does nothing."""

    def get_source(self, fullname: str) -> str:  # noqa: ARG002
        return NOTEBOOK

    def get_code(self, fullname: str) -> CodeType:
        return compile(NOTEBOOK, f"{fullname}.py", "exec", dont_inherit=True)


NOTHING_TO_CHECK = TextLoader({"autograder": "def check(*_, **__):\n    return 0.0\n"})
QUIET_NOTEBOOK = Notebook({})


class HelperFinder(importlib.abc.MetaPathFinder):
    """Finds the files that lie beside the student's, and hides the grader's own packages."""

    def __init__(self, helpers: dict[str, str], hidden: Sequence[str]) -> None:
        self.loader = TextLoader(helpers)
        self.hidden = set(hidden)

    def find_spec(
        self, name: str, _path: object = None, _target: object = None
    ) -> importlib.machinery.ModuleSpec | None:
        if name == "autograder":  # a notebook calls its check(); here that does nothing
            return importlib.util.spec_from_loader(name, NOTHING_TO_CHECK, origin=name)
        if name in self.loader.texts:
            return importlib.util.spec_from_loader(name, self.loader, origin=f"{name}.py")
        if name.split(".", maxsplit=1)[0] in self.hidden:
            raise ModuleNotFoundError(f"{name} is not there for submissions", name=name)
        if any(f"{name}.".startswith(f"{each}.") or each.startswith(f"{name}.") for each in QUIET):
            return importlib.util.spec_from_loader(
                name, QUIET_NOTEBOOK, origin=name, is_package=True
            )
        if not _is_inside_python(name) and not _can_open():
            raise ModuleNotFoundError(
                f"No module named {name!r} here: where this was graded, no library can be "
                f"imported that is not loaded beforehand",
                name=name,
            )
        return None


def _is_inside_python(name: str) -> bool:
    frozen = importlib.machinery.FrozenImporter.find_spec(name)
    return name in sys.builtin_module_names or frozen is not None


def _can_open() -> bool:
    """Whether libraries' files can be opened at all: on the level `no-open` nothing can."""
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
