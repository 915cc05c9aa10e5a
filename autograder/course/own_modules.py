"""Import of a course's packages, which are importable only while code of this course runs.

A Python process has only one package of each name, and most courses have a package `reference`.
"""

import contextlib
import importlib
import sys
import threading
from collections.abc import Iterator, Sequence
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType

from autograder.course.course_file import Course

Modules = dict[str, ModuleType]


class _Stage:
    """Course whose code runs in this process, and the removed modules of other courses."""

    def __init__(self) -> None:
        self.root: Path | None = None
        self.last: Path | None = None
        self.names: frozenset[str] = frozenset()
        self.inside = 0
        self.changed = threading.Condition()
        self.aside: dict[tuple[str, Path | None], Modules] = {}
        self.displaced: dict[str, Path | None] = {}

    @contextlib.contextmanager
    def importable(self, course: Course) -> Iterator[None]:
        """Make a course's packages importable while a `with` block runs.

        The course's folder is then first on the import path. Modules of other courses with the same
        names are removed, and restored afterwards. Threads for another course wait.
        """
        root = course.root.resolve()
        with self.changed:
            self.changed.wait_for(lambda: self.root in {None, root})
            self.inside += 1
            if self.root is None:
                if root != self.last:  # an author may have written a file a moment ago
                    importlib.invalidate_caches()
                content = course.content  # its packages are the first parts of these paths
                paths = (content.reference, content.checks, content.solutions)
                first = {name for path in paths for name in Path(path).parts[:1]}
                self.names = frozenset(filter(str.isidentifier, first))
                self.root = self.last = root
                sys.path.insert(0, str(root))
                sys.meta_path.insert(0, self)
                for name in self.names:
                    loaded = _loaded(name)
                    there = _folder_of(loaded)
                    if loaded and there != root:
                        self.displaced[name] = there
                        self._exchange(name, there, root)
                    elif not loaded:
                        sys.modules.update(self.aside.pop((name, root), {}))
        try:
            yield
        finally:
            with self.changed:
                self.inside -= 1
                if not self.inside:
                    sys.meta_path.remove(self)
                    with contextlib.suppress(ValueError):
                        sys.path.remove(str(root))
                    for name, before in self.displaced.items():
                        self._exchange(name, root, before)
                    self.displaced.clear()
                    self.root = None
                    self.changed.notify_all()

    def find_spec(
        self,
        name: str,
        path: Sequence[str] | None = None,  # noqa: ARG002  the packages have no dot in their names
        target: ModuleType | None = None,
    ) -> ModuleSpec | None:
        if name not in self.names:
            return None
        spec = PathFinder.find_spec(name, [str(self.root)], target)
        if spec is None:
            raise ModuleNotFoundError(f"There is no package {name} in {self.root}", name=name)
        return spec

    def _exchange(self, name: str, going: Path | None, coming: Path | None) -> None:
        self.aside[name, going] = loaded = _loaded(name)
        for module in loaded:
            del sys.modules[module]
        sys.modules.update(self.aside.pop((name, coming), {}))


def _loaded(name: str) -> Modules:
    own = [full for full in sys.modules if full == name or full.startswith(f"{name}.")]
    return {full: sys.modules[full] for full in own}


def _folder_of(loaded: Modules) -> Path | None:
    for name, module in loaded.items():
        file = getattr(module, "__file__", None)
        if file:
            path = Path(file).resolve()
            return path.parents[name.count(".") + (path.name == "__init__.py")]
    return None


importable = _Stage().importable
