"""Workers forked from a warm process: Linux only. The judge's side of the zygote.

On the level `none` nothing confines them: they are for one's own code, and cost a fork each in
place of a start of Python and its libraries.
"""

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from autograder.course.course_file import Library, Limits
from autograder.sandbox.child import Child, InternalError, Place
from autograder.sandbox.connection import Clock
from autograder.sandbox.spawn import environment, library_folders, process_limits, worker_command
from autograder.worker.confinement import LAYERS, LOCKED, READY, SCRATCH, STARTED, STATUS, Level

if TYPE_CHECKING:
    from autograder.sandbox.connection import Connection

# What students import besides: ready at once, and there at all where nothing can be opened.
_COMMON = """
abc collections contextlib copy dataclasses datetime decimal enum fractions functools heapq inspect
itertools json math operator pprint random re resource statistics string textwrap threading time
timeit traceback typing unittest uuid warnings
""".split()  # noqa: SIM905
WARM: dict[Library, tuple[str, ...]] = {
    "numpy": ("numpy.random", "numpy.ma", *_COMMON),
    "torch": ("numpy.random", "numpy.ma", *_COMMON, "torch"),
}
START_SECONDS = 120.0
ANSWER_SECONDS = 30.0
SCRATCH_MB = 64
TRIES = 5


class ForkServerGone(InternalError):
    """The fork server ended, or did not start; the message says what it said last."""

    def __init__(self, message: str, killed: bool) -> None:
        super().__init__(message)
        self.killed = killed


class ForkedChild(Child):
    """A confined process that waits for its first request."""

    def __init__(self, line: socket.socket, process: int, zygote: "ForkServer") -> None:
        self._line = line
        self._process = process
        self._id = _id_of(process)
        self._zygote = zygote
        self.clock = Clock(self._id)

    def open(self) -> "Connection":
        from autograder.sandbox.connection import DescriptorConnection

        descriptor = self._line.detach()
        return DescriptorConnection(descriptor, descriptor)

    def end(self) -> None:
        """Kill it. Its remains are collected when the next child is wanted: that takes a while."""
        if self._process < 0:
            return
        if not self._zygote.confined and self._id:  # and what it started, which nothing else ends
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._id, signal.SIGKILL)
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._process, signal.SIGKILL)
        os.close(self._process)
        self._process = -1

    def kill(self) -> None:
        with contextlib.suppress(OSError):  # it may be ending just now
            signal.pidfd_send_signal(self._process, signal.SIGKILL)

    def wait(self, seconds: float) -> int | None:
        if self._process < 0 or not self._zygote.answers_within(seconds):
            return None
        return os.waitstatus_to_exitcode(self._zygote.status())


def _id_of(descriptor: int) -> int:
    """The id, here, of the process of a descriptor; 0 where it cannot be found out."""
    try:
        with open(f"/proc/self/fdinfo/{descriptor}", encoding="ascii") as file:
            ids = [int(line[4:]) for line in file if line.startswith("Pid:")]
    except (OSError, ValueError):
        return 0
    return max(ids[0], 0) if ids else 0


_ending: set[int] = set()  # processes whose memory is freed just now


def _end_unawaited(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    if process.returncode is None:
        process.returncode = -signal.SIGKILL
        _ending.add(process.pid)


def collect_ended(wait: bool = False) -> None:
    """Collect what is left of fork servers that were ended; `wait` for those that still are."""
    for process in list(_ending):
        with contextlib.suppress(ChildProcessError):
            if not os.waitpid(process, 0 if wait else os.WNOHANG)[0]:
                continue
        _ending.discard(process)


def _started(
    config: dict[str, Any], folder: str, home: str, said: IO[bytes]
) -> subprocess.Popen[bytes]:
    collect_ended()
    return subprocess.Popen(
        worker_command(config),
        stdin=subprocess.DEVNULL,
        stdout=said,
        stderr=said,
        cwd=folder,
        env={**environment(home), **_KEEP_FREED_MEMORY},
        pass_fds=[config["control"]],
    )


class ForkServer:
    """A fork server that is starting, or runs. Its children run on `core`, if one is named.

    Those of a `probing` one run no submission, but try what their confinement forbids.
    """

    def __init__(
        self,
        warm: Sequence[str],
        layers: Sequence[str],
        hidden: Sequence[str],
        secret: Sequence[str],
        scratch: Path | None = None,
        core: int | None = None,
        probing: bool = False,
    ) -> None:
        self.confined = bool(layers)
        self._own = None if self.confined else tempfile.mkdtemp(prefix="submission-", dir=scratch)
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        config = {
            "control": theirs.fileno(),
            "layers": list(layers),
            "libraries": library_folders(),
            "warm": list(warm),
            "hidden": list(hidden),
            "secret": list(secret),
            "scratch_mb": SCRATCH_MB,
            "core": core,
            "probing": probing,
            "compiles": not sys.dont_write_bytecode,
        }
        home = self._own or (SCRATCH if "scratch" in layers else "/nonexistent")
        self._said = tempfile.TemporaryFile()  # noqa: SIM115
        self._last_words = ""
        self._busy = False
        with theirs:
            self._process = _started(config, self._own or "/", home, self._said)
        self._control = ours
        self._ready = False

    def fork(self, limits: Limits, side: int = -1) -> ForkedChild:
        """A new child, locked down; the one before has to be ended. It has `side` as well, if any.

        Raises:
            ZygoteGone: there is none; no student's code has run.
        """
        if not self._ready and self._receive(16, START_SECONDS)[0] != READY:
            raise self._gone()
        self._ready = True
        if self._busy:
            self.status()
        request = process_limits(limits)
        ours, theirs = socket.socketpair()
        try:
            self._control.settimeout(ANSWER_SECONDS)
            with theirs:
                line = [theirs.fileno(), *([side] if side >= 0 else [])]
                socket.send_fds(self._control, [json.dumps(request).encode()], line)
        except OSError:
            ours.close()
            raise self._gone() from None
        message, process = self._receive(16)
        if message != STARTED or process < 0:
            ours.close()
            raise self._gone()
        self._busy = True
        child = ForkedChild(ours, process, self)
        ours.settimeout(ANSWER_SECONDS)
        try:
            locked = ours.recv(1)
        except OSError:
            locked = b""
        ours.settimeout(None)
        if locked != LOCKED:
            ours.close()
            child.end()
            raise self._gone()
        return child

    def answers_within(self, seconds: float) -> bool:
        """Whether a status has come, or the line is closed."""
        try:
            self._control.settimeout(max(seconds, 0.001))
            self._control.recv(1, socket.MSG_PEEK)
        except TimeoutError:
            return False
        except OSError:
            return True
        return True

    def status(self) -> int:
        """How the child ended.

        Raises:
            ZygoteGone: the fork server ended with it, or instead of it.
        """
        message, _ = self._receive(16)
        self._busy = False
        if len(message) != STATUS.size:
            raise self._gone()
        code: int = STATUS.unpack(message)[0]
        return code

    def _receive(self, size: int, seconds: float = ANSWER_SECONDS) -> tuple[bytes, int]:
        try:
            self._control.settimeout(seconds)
            message, descriptors, _, _ = socket.recv_fds(self._control, size, 1)
        except OSError:
            return b"", -1
        return message, descriptors[0] if descriptors else -1

    def _gone(self) -> ForkServerGone:
        """How it ended, and what it said last."""
        self._control.close()
        try:
            self._process.wait(2)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if not self._said.closed:
            self._said.seek(0)
            said = self._said.read()[-4000:].decode("utf-8", "replace")
            self._last_words = said.strip().split("\n")[-1]
        self.close()
        killed = self._process.returncode in {-signal.SIGKILL, 256 - signal.SIGKILL}
        return ForkServerGone(f"The fork server ended. {self._last_words}".strip(), killed)

    def close(self) -> None:
        """Hang up and end it. Its memory takes a while to free: nobody waits for that.

        May be called twice.
        """
        self._control.close()
        self._said.close()
        if self._process.returncode is None:
            _end_unawaited(self._process)
        if self._own is not None:
            shutil.rmtree(self._own, ignore_errors=True)


# A short-lived child pays for page faults more than for anything else: freed memory stays mapped.
_KEEP_FREED_MEMORY = {
    "MALLOC_MMAP_THRESHOLD_": "67108864",
    "MALLOC_TRIM_THRESHOLD_": "268435456",
    "MALLOC_TOP_PAD_": "16777216",
}


class ForkServers:
    """A zygote for each kind of worker, started when it is first needed, and again if it ends."""

    lays_lines = True

    def __init__(
        self,
        reference: str,
        level: Level,
        secret: Sequence[Path] = (),
        scratch: Path | None = None,
        core: int | None = None,
    ) -> None:
        self.confinement: Level = level
        self.hidden = (reference,)
        self.secret = [str(path) for path in secret]
        self.scratch = scratch
        self.core = core
        self._zygotes: dict[tuple[str, ...], ForkServer] = {}

    def prepare(self, library: Library, also: tuple[str, ...] = ()) -> None:
        """Start what such a child is forked from, and do not wait for it."""
        self._zygote(library, also, "first")

    def take(
        self,
        library: Library,
        limits: Limits,
        also: tuple[str, ...] = (),
        place: Place = "first",
        side: int = -1,
    ) -> Child:
        """A child of a warm process.

        Raises:
            ZygoteGone: there is none, also after a few more tries.
        """
        for tries_left in reversed(range(TRIES)):
            try:
                return self._zygote(library, also, place).fork(limits, side)
            except ForkServerGone as gone:
                self._zygotes.pop((library, place, *also), None)
                if not tries_left or not gone.killed:
                    raise
        raise AssertionError

    def _zygote(self, library: Library, also: tuple[str, ...], place: Place) -> ForkServer:
        """The one that a child is forked from; it has one child at a time."""
        kind = (library, place, *also)
        if kind not in self._zygotes:
            warm = WARM[library] + also
            layers = LAYERS[self.confinement]
            self._zygotes[kind] = ForkServer(
                warm, layers, self.hidden, self.secret, self.scratch, self.core
            )
        return self._zygotes[kind]

    def close(self) -> None:
        for zygote in self._zygotes.values():
            zygote.close()
        self._zygotes.clear()
