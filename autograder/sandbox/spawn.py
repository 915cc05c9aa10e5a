"""Start of single worker processes: command, limits and environment.

This module imports neither numpy nor pytest, so a worker can start before the judge makes its
imports.
"""

import functools
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from autograder.course.course_file import Library, Limits
from autograder.sandbox.child import Child, ChildKind
from autograder.sandbox.connection import Clock, Connection
from autograder.worker.limits import STACK_SIGNAL

THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
START = Path(__file__).resolve().parent.parent / "worker" / "start.py"
WARM: dict[Library, tuple[str, ...]] = {
    "numpy": ("numpy.random",),
    "torch": ("numpy.random", "torch"),
}


class PlainChild:
    """Child process with limits and its own process session, but without confinement."""

    def __init__(
        self, library: Library, limits: Limits, hidden: tuple[str, ...], scratch: Path | None
    ) -> None:
        self.folder = tempfile.mkdtemp(prefix="submission-", dir=scratch)
        line, theirs = socket.socketpair()
        with theirs:
            self.process = subprocess.Popen(
                worker_command("serve", WARM[library], hidden, **process_limits(limits)),
                stdin=subprocess.PIPE if os.name == "nt" else theirs.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd=self.folder,
                env=environment(self.folder),
                start_new_session=True,
            )
            if sys.platform == "win32":  # there, no process can inherit a socket
                assert self.process.stdin is not None
                with self.process.stdin as file:
                    file.write(theirs.share(self.process.pid))
        self.line = Connection(line)
        self.clock = Clock(self.process.pid if sys.platform == "linux" else 0)

    def end(self) -> None:
        if self.process.returncode is None:
            try:
                os.killpg(self.process.pid, 9)
            except (AttributeError, OSError):  # no process groups on this system, or all ended
                self.process.kill()
            self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)
        self.line.close()

    def kill(self) -> None:
        self.process.kill()

    def ask_for_stack(self) -> None:
        if STACK_SIGNAL is not None:
            self.process.send_signal(STACK_SIGNAL)

    def wait(self, seconds: float) -> int | None:
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None


class Spawner:
    """Source of unconfined child processes. If `ahead` is true, one of each used kind is ready."""

    def __init__(self, reference: str, ahead: bool = False, scratch: Path | None = None) -> None:
        self.hidden = (reference,)
        self.ahead = ahead
        self.scratch = scratch
        self._ready: dict[tuple[Library, Limits], PlainChild] = {}

    def prepare(self, kind: ChildKind) -> None:
        key = kind.library, kind.limits  # the start of a child depends only on these
        if key not in self._ready:
            self._ready[key] = PlainChild(*key, self.hidden, self.scratch)

    def take(self, kind: ChildKind) -> Child:
        self.prepare(kind)
        child = self._ready.pop((kind.library, kind.limits))
        if child.process.poll() is not None:
            child.end()
            return self.take(kind)
        if self.ahead:
            self.prepare(kind)
        return child

    def close(self) -> None:
        for child in self._ready.values():
            child.end()
        self._ready.clear()


def worker_command(
    role: str, warm: Sequence[str], hidden: Sequence[str], **config: object
) -> list[str]:
    """Return the command that starts the module `role` of `autograder.worker` as a process.

    The process imports the modules in `warm`, and cannot import the modules in `hidden`.
    """
    config |= {
        "role": role,
        "warm": list(warm),
        "hidden": list(hidden),
        "libraries": library_folders(),
        "compiles": not sys.dont_write_bytecode,
    }
    # with the option -I, Python would ignore PYTHONHASHSEED
    return [sys.executable, "-P", "-s", "-S", str(START), json.dumps(config)]


def process_limits(limits: Limits) -> dict[str, int]:
    """Return the limits that a process sets for itself. The judge enforces deadlines."""
    return {"memory_mb": limits.memory_mb, "cpu_seconds": int(limits.total_seconds) + 30}


@functools.cache
def library_folders() -> list[str]:
    return [p for p in sys.path if Path(p).name in {"site-packages", "dist-packages"}]


def keep_to_one_thread() -> None:
    """Limit libraries here and in new processes to one thread, if the user has set no number."""
    for name in THREADS:
        os.environ.setdefault(name, "1")


def end_with_starter() -> None:
    """Let this process end when the process ends that started it with `multiprocessing`."""
    from multiprocessing.process import parent_process  # only judges need it

    parent = parent_process()
    assert parent is not None

    def wait() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()


def environment(home: str) -> dict[str, str]:
    """Return a worker's environment variables. Only SYSTEMROOT comes from the judge."""
    system = os.environ.get("SYSTEMROOT")  # Windows starts no process without this variable
    return {
        **({"SYSTEMROOT": system} if system is not None else {}),
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
    """Return the folder with matplotlib's list of fonts. Making this list takes seconds."""
    try:
        folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "autograder"
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, RuntimeError):
        return os.path.join(tempfile.gettempdir(), "autograder-matplotlib")
    return str(folder)


# A source that uses matplotlib, which is slow to import, contains at least one of these words.
# A forked worker has already imported it.
_PLOTS = ("matplotlib", "seaborn")
MOST = 2**22  # only this many bytes of a file are searched for such words


def slow_modules(mentions: Callable[[str], bool]) -> tuple[str, ...]:
    """Return the modules that are slow to import and that a source probably uses."""
    return ("matplotlib.pyplot",) if any(map(mentions, _PLOTS)) else ()


def slow_modules_in(path: Path) -> tuple[str, ...]:
    """Return the slow modules that a file probably uses. For an unreadable file, return none."""
    try:
        with path.open("rb") as file:
            data = file.read(MOST)
    except OSError:
        return ()
    return slow_modules(lambda word: word.encode() in data)
