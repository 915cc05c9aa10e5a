"""Which level of confinement this machine offers: found by trying, the strongest first."""

import functools
import json
import os
import signal
import socket
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from autograder.course.course_file import Course, Library, Limits
from autograder.course.errors import UserError
from autograder.sandbox.child import Children, InternalError
from autograder.sandbox.connection import Deadline
from autograder.sandbox.spawn import Spawner, also_warm_for
from autograder.worker.confinement import LAYERS, Level
from autograder.worker.confinement.probing import SIZE

if TYPE_CHECKING:
    from autograder.sandbox.connection import Connection
    from autograder.sandbox.fork_server import ForkedChild, ForkServer


LEVELS: tuple[Level, ...] = ("full", "landlock", "no-open")
TRIES = 5
NEEDS = ("ctypes", "fcntl", "socket", "threading")  # of PROBE's, where nothing can be opened
MAX_ANSWER = 2**16
# What no level lets through, each as a function that raises if it was refused. None of it does
# harm where it is not: the file is the probe's own, and the signals are 0 and SIGURG.
PROBE = """
import ctypes, fcntl, os, socket, threading

libc = ctypes.CDLL(None, use_errno=True)

class Part(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("size", ctypes.c_size_t)]

def called(result):
    if result < 0:
        raise OSError(ctypes.get_errno(), "refused")
    return result

def read(path):
    with open(path) as file:
        return file.read()

def list_folder(path):
    return os.listdir(path)

def write(path):
    with open(path, "r+") as file:
        return file.write("x")

def create(path):
    os.close(os.open(path, os.O_CREAT | os.O_WRONLY))

def truncate(path):
    os.truncate(path, 0)

def chmod(path):
    os.chmod(path, 0o600)

def delete(path):
    os.remove(path)

def fork():
    child = os.fork()
    if not child:
        os._exit(0)
    return child

def execute(program):
    os.execv(program, [program, "-c", ""])

def start_a_program(program):
    return os.posix_spawn(program, [program, "-c", ""], {})

def start_threads():
    over, started = threading.Event(), []
    try:
        for _ in range(300):
            thread = threading.Thread(target=over.wait, daemon=True)
            thread.start()
            started.append(thread)
    finally:
        over.set()
        for thread in started:
            thread.join()

def connect(family, kind):
    return socket.socket(family, kind).fileno()

def connect_to_an_abstract_socket():
    ends = socket.socket(socket.AF_UNIX)
    ends.bind("\\0autograder-probe")

def signal(process):
    os.kill(process, 0)

def signal_a_thread(process):
    called(libc.syscall(234 if os.uname().machine == "x86_64" else 131, process, process, 0))

def own_a_descriptor(process):
    fcntl.fcntl(os.pipe()[0], fcntl.F_SETOWN, process)

def choose_its_signal():
    fcntl.fcntl(os.pipe()[0], 10, 23)  # F_SETSIG, SIGURG

def be_told_by_a_signal():
    fcntl.fcntl(os.pipe()[0], fcntl.F_SETFL, fcntl.FASYNC)

def be_told_by_ioctl():
    fcntl.ioctl(os.pipe()[0], 0x5452, bytes([1, 0, 0, 0]))  # FIOASYNC

def trace(process):
    called(libc.ptrace(0x4206, process, 0, 0))  # PTRACE_SEIZE, which stops nothing

def read_memory(process, address):
    buffer = ctypes.create_string_buffer(8)
    here, there = Part(ctypes.addressof(buffer), 8), Part(address, 8)
    called(libc.process_vm_readv(process, ctypes.byref(here), 1, ctypes.byref(there), 1, 0))

def fine():
    return 42
"""


@functools.cache
def why_not(level: Level) -> str:
    """Why a level does not hold here; empty if it does.

    A child is started on it and tries what it must not be able to do.
    """
    if sys.platform != "linux":
        return "it needs Linux"
    for _ in range(TRIES):
        try:
            return _once(level)
        except InternalError as trouble:
            if not trouble.killed:
                return str(trouble)
    raise UserError("The confinement could not be tried: something keeps killing its processes.")


_ahead: "dict[Level, ForkServer]" = {}


def probe_ahead(level: Level = LEVELS[0]) -> None:
    """Start what a level will be tried in, and do not wait for it; it ends with this process."""
    if sys.platform == "linux" and not _ahead and not why_not.cache_info().currsize:
        _ahead[level] = _server(level)


def _server(level: Level) -> "ForkServer":
    from autograder.sandbox.fork_server import ForkServer

    return ForkServer(NEEDS, LAYERS[level], (), (), probing=True)


def _once(level: Level) -> str:
    with tempfile.TemporaryDirectory() as folder:
        secret = Path(folder, "secret")
        secret.write_text("an answer")
        secret.chmod(0o644)
        Path(folder).chmod(0o755)
        server = _ahead.pop(level, None) or _server(level)
        try:
            return _try(server, str(secret))
        except OSError as error:
            return str(error).strip() or type(error).__name__
        finally:
            server.close()


def _attempts(secret: str) -> Iterator[tuple[str, list[Any]]]:
    """What the probe tries, in its words, with what it is given; deleting comes last."""
    judge = os.getpid()
    for path in (secret, "/etc/passwd", "/proc/self/environ", f"/proc/{judge}/status"):
        yield "read", [path]
    yield "list_folder", ["/proc"]
    yield "fork", []
    yield "execute", [sys.executable]
    yield "start_a_program", [sys.executable]
    yield "start_threads", []
    for family in (socket.AF_INET, socket.AF_INET6, socket.AF_UNIX):
        for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
            yield "connect", [int(family), int(kind)]
    yield "connect_to_an_abstract_socket", []
    for name in ("signal", "signal_a_thread", "own_a_descriptor", "trace"):
        yield name, [judge]
    for name in ("choose_its_signal", "be_told_by_a_signal", "be_told_by_ioctl"):
        yield name, []
    yield "read_memory", [judge, id(None)]
    for name in ("write", "truncate", "chmod", "delete"):
        yield name, [secret]
    yield "create", [f"{secret}.new"]


def _try(server: "ForkServer", secret: str) -> str:
    child = server.fork(Limits())
    line = child.open()
    try:
        _tell(line, PROBE, child)
        for name, args in (("fine", []), *_attempts(secret)):
            said = name.replace("_", " ")
            try:
                answer = _tried(line, child, name, args)
            except (OSError, EOFError, ValueError):  # gone: with exec, for one, it is another
                if child.wait(0.5) == -signal.SIGKILL:
                    raise ProbeKilled("something killed the process that tried it") from None
                return f"a confined process did not come back when it tried to {said}"
            if name == "fine" and answer != {"value": 42}:
                return "a confined process gave a wrong answer"
            if name != "fine" and "refused" not in answer:
                return f"a confined process could still {said}"
    finally:
        child.end()
        line.close()
    return ""


class ProbeKilled(InternalError):
    """The process that tried what is forbidden was ended by force, from outside."""

    killed = True


def _tried(line: "Connection", child: "ForkedChild", name: str, args: list[Any]) -> Any:
    """What came of one call of PROBE's."""
    _tell(line, [name, args], child)
    deadline = Deadline(Limits().call_seconds, child.clock)
    (size,) = SIZE.unpack(line.receive(SIZE.size, deadline))
    if size > MAX_ANSWER:
        raise ValueError
    return json.loads(line.receive(size, deadline))


def _tell(line: "Connection", message: object, child: "ForkedChild") -> None:
    data = json.dumps(message).encode()
    line.send([SIZE.pack(len(data)), data], Deadline(Limits().call_seconds, child.clock))


def choose(wanted: Level | None, own_code: bool) -> Level:
    """The level to grade on: the one that is wanted, or the strongest that holds.

    Raises:
        UserError: none holds, and the code is not one's own.
    """
    if wanted is not None and wanted != "none":
        reason = why_not(wanted)
        if reason:
            raise UserError(f"The confinement {wanted!r} does not hold here: {reason}")
        return wanted
    if wanted is None:
        for level in LEVELS:
            if not why_not(level):
                return level
    if own_code:
        return "none"
    raise UserError(
        "Nothing on this machine can confine the submissions' code, so others' work is not graded "
        "here: it could read your files. Use a Linux machine or container (`autograder doctor` "
        "says what is missing), or say --own-code if all of it is your own."
    )


def children_on(
    level: Level,
    course: Course,
    secret: Sequence[Path],
    scratch: Path,
    core: int | None = None,
    first: Library | None = None,
) -> Children:
    """A source of children on that level, for which nothing of the course's answers is readable.

    They run on the one `core`, if one is named. What children of the library `first` are forked
    from is on its way already, where that takes no longer than to start a judge.
    """
    reference = course.content.reference
    if sys.platform != "linux":
        return Spawner(reference, ahead=True, scratch=scratch)
    from autograder.sandbox.fork_server import ForkServers

    engine = Path(__file__).resolve().parent.parent
    own = [*course.grading, course.solutions, engine]
    servers = ForkServers(reference, level, [*own, *secret], scratch, core)
    if first == "numpy":
        servers.prepare(first)
    return servers


# Workers for one's own code, started before anything heavy is imported here.


def children_for(
    course: Course, start: Library | None = None, path: Path | None = None
) -> Children:
    """Children for one's own code, unconfined.

    With `start`, a first one is on its way already, for the file at `path` if one is named.
    """
    reference = course.content.reference
    if sys.platform != "linux":
        from autograder.sandbox.spawn import Spawner

        spawner = Spawner(reference, ahead=True)
        if start is not None:
            spawner.prepare(start, course.content.limits)
        return spawner
    from autograder.sandbox.fork_server import ForkServers

    servers = ForkServers(reference, "none")
    if start is not None:
        servers.prepare(start, also_warm_for(start, path) if path is not None else ())
    return servers
