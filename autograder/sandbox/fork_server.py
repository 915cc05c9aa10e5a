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
from autograder.sandbox.child import Child, ChildKind, InternalError, Place
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
        _kill(self._process)

    def ask_for_stack(self) -> None:
        with contextlib.suppress(OSError):
            signal.pidfd_send_signal(self._process, signal.SIGUSR1)

    def wait(self, seconds: float) -> int | None:
        return None if self._process < 0 else self._server.exit_code(seconds)


def _kill(process: int) -> None:
    with contextlib.suppress(OSError):  # the process may have just ended
        signal.pidfd_send_signal(process, signal.SIGKILL)


def _id_of(descriptor: int) -> int:
    try:
        facts = Path(f"/proc/self/fdinfo/{descriptor}").read_text(encoding="ascii")
    except (OSError, ValueError):
        return 0
    found = re.search(r"^Pid:\s*(\d+)$", facts, re.MULTILINE)
    return int(found[1]) if found else 0


class LibraryProcess:
    """Process that imports libraries once. Fork servers are forked from it, and share its memory.

    The children of its fork servers run on the processor core `core`.
    """

    def __init__(
        self,
        warm: Sequence[str],
        layers: Sequence[str],
        hidden: Sequence[str],
        secret: Sequence[str],
        scratch: Path | None = None,
        core: int | None = None,
    ) -> None:
        self.layers = layers
        self.scratch = scratch
        self.servers: dict[Place, ForkServer] = {}
        self._output = tempfile.TemporaryFile()  # noqa: SIM115
        self._has_read = 0
        self._requests, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        command = worker_command(
            "confinement.fork_server",
            warm,
            hidden,
            requests=theirs.fileno(),
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
                cwd="/",
                env={**environment("/nonexistent"), **_KEEP_FREED_MEMORY},
                pass_fds=[theirs.fileno()],
            )

    def request(self, home: str) -> socket.socket:
        """Request a fork server with this home folder, and return the connection to it."""
        control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        control.settimeout(START_SECONDS)
        with theirs, contextlib.suppress(OSError):  # if it has ended, `control` is at its end too
            socket.send_fds(self._requests, [home.encode()], [theirs.fileno()])
        return control

    def last_words(self) -> str:
        """Return the last new line of the output. A process that was killed has written none."""
        start, self._has_read = self._has_read, os.fstat(self._output.fileno()).st_size
        new = os.pread(self._output.fileno(), 4000, max(start, self._has_read - 4000))
        return new.decode("utf-8", "replace").strip().split("\n")[-1]

    def close(self) -> None:
        """End the process and its fork servers. A second call does nothing."""
        for server in self.servers.values():
            server.close()
        self._requests.close()
        self._output.close()
        self.process.kill()
        self.process.wait()


class ForkServer:
    """Fork server, which has one child at a time."""

    def __init__(self, libraries: LibraryProcess) -> None:
        self.confined = bool(libraries.layers)
        self._libraries = libraries
        self._own = None
        if not self.confined:
            self._own = tempfile.mkdtemp(prefix="submission-", dir=libraries.scratch)
        self._process = -1  # its descriptor, once it is ready
        self._has_child = False
        home = SCRATCH if "scratch" in libraries.layers else "/nonexistent"
        self._control = libraries.request(self._own or home)

    def fork(self, limits: Limits) -> ForkedChild:
        """Return a new confined child after the end of the last one, or raise `InternalError`."""
        if self._process < 0:
            ready, self._process = self._receive()
            if ready != READY:
                raise self._gone()
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
                _kill(process)
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
        self.close()
        words = self._libraries.last_words()
        return InternalError(f"The fork server ended. {words}".strip(), killed=not words)

    def close(self) -> None:
        """Close the connection and end the fork server. A second call does nothing."""
        self._control.close()
        if self._process >= 0:
            _kill(self._process)
            ended = select.poll()
            ended.register(self._process, select.POLLIN)
            ended.poll()
            os.close(self._process)
            self._process = -1
        if self._own is not None:
            shutil.rmtree(self._own, ignore_errors=True)


class ForkServers:
    """Fork servers, one for each place and kind of worker. Each starts when it is needed.

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
        self.libraries: dict[tuple[str, ...], LibraryProcess] = {}  # by library and slow modules

    def take(self, kind: ChildKind) -> Child:
        for tries_left in reversed(range(TRIES)):
            try:
                return self.prepare(kind).fork(kind.limits)
            except InternalError as gone:
                del self.libraries[kind.library, *kind.also].servers[kind.place]
                if not tries_left or not gone.killed:
                    raise
        raise AssertionError

    def prepare(self, kind: ChildKind) -> ForkServer:
        libraries = self._library_process(kind)
        if kind.place not in libraries.servers:
            libraries.servers[kind.place] = ForkServer(libraries)
        return libraries.servers[kind.place]

    def _library_process(self, kind: ChildKind) -> LibraryProcess:
        key = kind.library, *kind.also
        if key in self.libraries and self.libraries[key].process.poll() is not None:
            self.libraries.pop(key).close()
        if key not in self.libraries:
            torch = ["torch"] if kind.library == "torch" else []
            warm = ["numpy.random", "numpy.ma", "numpy.testing", *_COMMON, *torch, *kind.also]
            self.libraries[key] = LibraryProcess(
                warm, LAYERS[self.level], self.hidden, self.secret, self.scratch, self.core
            )
        return self.libraries[key]

    def close(self) -> None:
        for libraries in self.libraries.values():
            libraries.close()
        self.libraries.clear()
