"""Worker processes started one at a time, and the command, limits and environment of each.

This module imports neither numpy nor pytest: a worker can be started before the judge loads them.
"""

import functools
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from autograder.course.course_file import Library, Limits
from autograder.sandbox.child import Child, ChildKind
from autograder.sandbox.connection import (
    Clock,
    Connection,
    DescriptorConnection,
    ThreadConnection,
)
from autograder.worker.limits import STACK_SIGNAL

THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
START = Path(__file__).resolve().parent.parent / "worker" / "start.py"
WARM: dict[Library, tuple[str, ...]] = {
    "numpy": ("numpy.random",),
    "torch": ("numpy.random", "torch", "torch.optim"),
}


class PlainChild(Child):
    """Child process with limits and its own session, but without confinement."""

    def __init__(
        self, library: Library, limits: Limits, hidden: tuple[str, ...], scratch: Path | None
    ) -> None:
        self.folder = tempfile.mkdtemp(prefix="submission-", dir=scratch)
        self.process = subprocess.Popen(
            worker_command("serve", WARM[library], hidden, **process_limits(limits)),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=self.folder,
            env=environment(self.folder),
            start_new_session=True,
        )
        assert self.process.stdout is not None and self.process.stdin is not None
        self._reading, self._writing = self.process.stdout, self.process.stdin
        self.clock = Clock(self.process.pid if sys.platform == "linux" else 0)

    def end(self) -> None:
        """End the process and every process that stayed in its session."""
        if self.process.returncode is None:
            try:
                os.killpg(self.process.pid, 9)
            except (AttributeError, OSError):  # no process groups here, or all have ended
                self.process.kill()
            self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def kill(self) -> None:
        self.process.kill()

    def ask_for_stack(self) -> None:
        if STACK_SIGNAL is not None:
            self.process.send_signal(STACK_SIGNAL)

    def discard(self) -> None:
        """End a child that was never used, and close its connection."""
        self.end()
        self._reading.close()
        self._writing.close()

    def open(self) -> Connection:
        if os.name == "nt":
            return ThreadConnection(self._reading, self._writing)
        copies = os.dup(self._reading.fileno()), os.dup(self._writing.fileno())
        self._reading.close()
        self._writing.close()
        return DescriptorConnection(*copies)

    def wait(self, seconds: float) -> int | None:
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None


class Spawner:
    """Starter of child processes; if `ahead` is true, it keeps one of each kind ready.

    Working folders are made in `scratch`, or in the system's temporary folder.
    """

    def __init__(self, reference: str, ahead: bool = False, scratch: Path | None = None) -> None:
        self.hidden = (reference,)
        self.ahead = ahead
        self.scratch = scratch
        self._ready: dict[tuple[Library, Limits], PlainChild] = {}

    def prepare(self, kind: ChildKind) -> None:
        """Start a child now, unless one of this kind is ready."""
        key = kind.library, kind.limits  # everything that a child's start depends on
        if key not in self._ready:
            self._ready[key] = PlainChild(*key, self.hidden, self.scratch)

    def take(self, kind: ChildKind) -> Child:
        key = kind.library, kind.limits
        child = self._ready.pop(key, None)
        if child is not None and child.process.poll() is not None:
            child.discard()
            child = None
        if child is None:
            child = PlainChild(*key, self.hidden, self.scratch)
        if self.ahead:
            self.prepare(kind)
        return child

    def close(self) -> None:
        for child in self._ready.values():
            child.discard()
        self._ready.clear()


def worker_command(
    role: str, warm: Sequence[str], hidden: Sequence[str], **config: object
) -> list[str]:
    """Return the command that starts a process; `role` is a module of `autograder.worker`.

    The process imports `warm` first, and cannot import `hidden`. It is not started with -I, because
    that would ignore PYTHONHASHSEED.
    """
    config |= {
        "role": role,
        "warm": list(warm),
        "hidden": list(hidden),
        "libraries": library_folders(),
        "compiles": not sys.dont_write_bytecode,
    }
    return [sys.executable, "-P", "-s", "-S", str(START), json.dumps(config)]


def process_limits(limits: Limits) -> dict[str, int]:
    """Return the limits that the process sets on itself; the judge enforces the deadlines."""
    return {"memory_mb": limits.memory_mb, "cpu_seconds": int(limits.total_seconds) + 30}


@functools.cache
def library_folders() -> list[str]:
    """Return the folders of installed libraries, except those of editable installs."""
    return [p for p in sys.path if Path(p).name in {"site-packages", "dist-packages"}]


def keep_to_one_thread() -> None:
    """Limit code that is imported or started from now on to one thread, unless the user chose more.

    With small matrices and other busy processes, more threads only wait for each other.
    """
    for name in THREADS:
        os.environ.setdefault(name, "1")


def environment(home: str) -> dict[str, str]:
    """Return the worker's complete environment, which inherits nothing from the judge's.

    Windows starts no process without SYSTEMROOT; machines of one kind all have the same value.
    """
    kept = {"SYSTEMROOT": os.environ["SYSTEMROOT"]} if "SYSTEMROOT" in os.environ else {}
    return {
        **kept,
        **dict.fromkeys((*THREADS, "VECLIB_MAXIMUM_THREADS"), "1"),
        "HOME": home,
        "TMPDIR": home,
        "LANG": "C.UTF-8",
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
        "MPLBACKEND": "Agg",
        "MPLCONFIGDIR": plot_cache(),
    }


@functools.cache
def plot_cache() -> str:
    """Return the folder of matplotlib's font list, which takes seconds to make."""
    try:
        home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
        folder = home / "autograder"
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, RuntimeError):
        return os.path.join(tempfile.gettempdir(), "autograder-matplotlib")
    return str(folder)


# For each module that is slow to import, words of which every source that uses it contains at least
# one. A forked worker has imported it already. Torch's optimisers take as long as torch, so only
# sources that use them wait.
SLOW_MODULES = {
    "matplotlib.pyplot": ("matplotlib", "seaborn"),
    "torch.optim": ("optim", ".step("),
}
MOST = 2**22  # the part of a file that is searched


@functools.cache
def is_installed(library: str) -> bool:
    """Return True if a library is installed, without importing it."""
    return importlib.util.find_spec(library) is not None


def slow_modules(library: Library, mentions: Callable[[str], bool]) -> tuple[str, ...]:
    """Return the slow modules, other than its library, that a source is likely to use."""
    return tuple(
        module
        for module, words in SLOW_MODULES.items()
        if (library == "torch" or not module.startswith("torch"))
        and any(map(mentions, words))
        and is_installed(module.partition(".")[0])
    )


def slow_modules_in(library: Library, path: Path) -> tuple[str, ...]:
    """Return the slow modules for a file that was not read yet; none if it cannot be read."""
    try:
        with path.open("rb") as file:
            data = file.read(MOST)
    except OSError:
        return ()
    return slow_modules(library, lambda word: word.encode() in data)
