"""The student's source as a module: each unit runs, whatever became of the one before."""

import importlib.abc
import importlib.machinery
import importlib.util
import linecache
import sys
from collections.abc import Sequence
from types import CodeType, ModuleType

from .failures import explain
from .magics import without_magics
from .messages import Problem, Unit

HIDDEN = ("autograder", "autograder_worker")


class Source(importlib.abc.InspectLoader):
    """A module from texts, so that nothing need be a file and `inspect.getsource` still works."""

    def __init__(self, texts: dict[str, str]) -> None:
        self.texts = texts

    def get_source(self, fullname: str) -> str:
        return self.texts[fullname]

    def get_code(self, fullname: str) -> CodeType:
        return _compile(self.texts[fullname], f"{fullname}.py")


NOTHING_TO_CHECK = Source({"autograder": "def check(*_, **__):\n    return 0.0\n"})


class Beside(importlib.abc.MetaPathFinder):
    """Finds the files that lie beside the student's, and hides the grader's own packages."""

    def __init__(self, helpers: dict[str, str], hidden: Sequence[str]) -> None:
        self.loader = Source(helpers)
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
        return None


def load(
    name: str, units: Sequence[Unit], helpers: dict[str, str], hidden: Sequence[str]
) -> tuple[ModuleType, list[Problem]]:
    """Run the units as the module `name`; the problems say which of them stopped, and where."""
    sys.meta_path.insert(0, Beside(helpers, [*hidden, *HIDDEN]))
    module = ModuleType(name)
    module.__file__ = f"{name}.py"
    sys.modules[name] = module
    labels = {unit.label for unit in units} | {f"{helper}.py" for helper in helpers}
    problems = []
    for unit in units:
        try:
            exec(_compile(without_magics(unit.text, unit.label), unit.label), module.__dict__)
        except BaseException as error:
            problems.append(explain(error, labels))
    return module, problems


def define(name: str, units: Sequence[Unit]) -> ModuleType:
    """A text of the course's as a module of its own; no student's code can import it by name.

    Raises:
        Exception: what the text raises, which is a mistake in the course.
    """
    module = ModuleType(name)
    for unit in units:
        exec(compile(unit.text, unit.label, "exec", dont_inherit=True), module.__dict__)
    return module


def _compile(text: str, label: str) -> CodeType:
    linecache.cache[label] = (len(text), None, text.splitlines(keepends=True), label)
    return compile(text, label, "exec", dont_inherit=True)
