"""Workers that are forked from a process that has imported the libraries. Linux only."""

import contextlib
import json
import os
import re
import select
import shutil
import signal
import socket
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from autograder.course.course_file import Limits
from autograder.sandbox.child import Child, ChildKind, InternalError
from autograder.sandbox.connection import Clock, Connection
from autograder.sandbox.spawn import environment, process_limits, worker_command
from autograder.worker.confinement import LAYERS, LOCKED, READY, SCRATCH, STARTED, STATUS, Level

# Modules that students often import. They are imported in advance, so they are also available on a
# level on which no file can be opened.
_COMMON = """
abc collections contextlib copy dataclasses datetime decimal enum fractions functools heapq inspect
itertools json math operator pprint random re resource statistics string textwrap threading time
timeit traceback typing unittest uuid warnings
""".split()  # noqa: SIM905
START_SECONDS = 120.0
ANSWER_SECONDS = 30.0
SCRATCH_MB = 64
TRIES = 5

# These settings keep freed memory mapped. Otherwise a child that prints or computes a lot would
# spend its time on page faults, and time out.
_KEEP_FREED_MEMORY = {
    "MALLOC_MMAP_THRESHOLD_": "67108864",
    "MALLOC_TRIM_THRESHOLD_": "268435456",
    "MALLOC_TOP_PAD_": "16777216",
}


class ForkedChild:
    """Confined process that waits for a first request. `process` is the process's descriptor."""

    def __init__(self, line: socket.socket, process: int, server: "ForkServer") -> None:
        self.line = Connection(line)
        self._process = process
        self._id = _id_of(process)
        self._server = server
        self.clock = Clock(self._id)

    def end(self) -> None:
        """Kill the process. The next fork waits until the process has disappeared."""
        if self._process < 0:
            return
        if not self._server.confined and self._id:  # also kill the processes that it started
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._id, signal.SIGKILL)
        self.kill()
        os.close(self._process)
        self._process = -1
        self.line.close()

    def kill(self) -> None:
        with contextlib.suppress(OSError):  # the process may have just ended
            signal.pidfd_send_signal(self._process, signal.SIGKILL)

    def ask_for_stack(self) -> None:
        with contextlib.suppress(OSError):
            signal.pidfd_send_signal(self._process, signal.SIGUSR1)

    def wait(self, seconds: float) -> int | None:
        return None if self._process < 0 else self._server.exit_code(seconds)


def _id_of(descriptor: int) -> int:
    try:
        facts = Path(f"/proc/self/fdinfo/{descriptor}").read_text(encoding="ascii")
    except (OSError, ValueError):
        return 0
    found = re.search(r"^Pid:\s*(\d+)$", facts, re.MULTILINE)
    return int(found[1]) if found else 0


class ForkServer:
    """Fork server. Its children run on the processor core `core`."""

    def __init__(
        self,
        warm: Sequence[str],
        layers: Sequence[str],
        hidden: Sequence[str],
        secret: Sequence[str],
        scratch: Path | None = None,
        core: int | None = None,
    ) -> None:
        self.confined = bool(layers)
        self._own = None if self.confined else tempfile.mkdtemp(prefix="submission-", dir=scratch)
        self._output = tempfile.TemporaryFile()  # noqa: SIM115
        self._last_words = ""
        self._is_ready = False
        self._has_child = False
        home = self._own or (SCRATCH if "scratch" in layers else "/nonexistent")
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._control.settimeout(START_SECONDS)
        command = worker_command(
            "confinement.fork_server",
            warm,
            hidden,
            control=theirs.fileno(),
            layers=list(layers),
            secret=list(secret),
            scratch_mb=SCRATCH_MB,
            core=core,
        )
        with theirs:
            self.process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=self._output,
                stderr=self._output,
                cwd=self._own or "/",
                env={**environment(home), **_KEEP_FREED_MEMORY},
                pass_fds=[theirs.fileno()],
            )

    def fork(self, limits: Limits) -> ForkedChild:
        """Return a new confined child after the end of the last one, or raise `InternalError`."""
        if not self._is_ready and self._receive()[0] != READY:
            raise self._gone()
        self._is_ready = True
        if self._has_child and self.exit_code(ANSWER_SECONDS) is None:
            raise self._gone()
        line, theirs = socket.socketpair()
        line.settimeout(ANSWER_SECONDS)
        process = -1
        try:
            self._control.settimeout(ANSWER_SECONDS)
            with theirs:
                message = json.dumps(process_limits(limits)).encode()
                socket.send_fds(self._control, [message], [theirs.fileno()])
            started, process = self._receive()
            if started != STARTED or process < 0 or line.recv(1) != LOCKED:
                raise OSError("no confined process")
        except OSError:
            line.close()
            if process >= 0:
                with contextlib.suppress(OSError):
                    signal.pidfd_send_signal(process, signal.SIGKILL)
                os.close(process)
            raise self._gone() from None
        self._has_child = True
        return ForkedChild(line, process, self)

    def exit_code(self, seconds: float) -> int | None:
        """Return the child's exit code, or TOO_MANY_TASKS, or None if it runs after `seconds`."""
        if self._control.fileno() >= 0:
            poll = select.poll()
            poll.register(self._control, select.POLLIN)
            if not poll.poll(seconds * 1000):
                return None
        message, _ = self._receive()
        self._has_child = False
        if len(message) != STATUS.size:
            raise self._gone()
        code: int = STATUS.unpack(message)[0]
        return code

    def _receive(self) -> tuple[bytes, int]:
        try:
            message, descriptors, _, _ = socket.recv_fds(self._control, 16, 1)
        except OSError:
            return b"", -1
        return message, descriptors[0] if descriptors else -1

    def _gone(self) -> InternalError:
        self._control.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(2)
        if not self._output.closed:
            self._output.seek(0)
            text = self._output.read()[-4000:].decode("utf-8", "replace")
            self._last_words = text.strip().split("\n")[-1]
        self.close()
        killed = self.process.returncode in {-signal.SIGKILL, 256 - signal.SIGKILL}
        return InternalError(f"The fork server ended. {self._last_words}".strip(), killed)

    def close(self) -> None:
        """Close the connection and end the fork server. A second call does nothing."""
        self._control.close()
        self._output.close()
        self.process.kill()
        self.process.wait()
        if self._own is not None:
            shutil.rmtree(self._own, ignore_errors=True)


class ForkServers:
    """Fork servers, one for each kind of worker. Each starts when it is needed.

    On the level `none`, which is for code of the user, fork servers only save time: the workers are
    not confined.
    """

    def __init__(
        self,
        reference: str,
        level: Level,
        secret: Sequence[Path] = (),
        scratch: Path | None = None,
        core: int | None = None,
    ) -> None:
        self.level: Level = level
        self.hidden = (reference,)
        self.secret = [str(path) for path in secret]
        self.scratch = scratch
        self.core = core
        self._servers: dict[tuple[str, ...], ForkServer] = {}

    def take(self, kind: ChildKind) -> Child:
        for tries_left in reversed(range(TRIES)):
            try:
                return self.prepare(kind).fork(kind.limits)
            except InternalError as gone:
                del self._servers[kind.library, kind.place, *kind.also]
                if not tries_left or not gone.killed:
                    raise
        raise AssertionError

    def prepare(self, kind: ChildKind) -> ForkServer:
        key = (kind.library, kind.place, *kind.also)
        if key not in self._servers:
            torch = ["torch"] if kind.library == "torch" else []
            warm = ["numpy.random", "numpy.ma", "numpy.testing", *_COMMON, *torch, *kind.also]
            self._servers[key] = ForkServer(
                warm, LAYERS[self.level], self.hidden, self.secret, self.scratch, self.core
            )
        return self._servers[key]

    @property
    def processes(self) -> list[int]:
        return [server.process.pid for server in self._servers.values()]

    def close(self) -> None:
        for server in self._servers.values():
            server.close()
        self._servers.clear()
