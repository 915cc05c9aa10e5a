"""Levels of confinement, and the choice of the strongest working level."""

import functools
import os
import signal
import socket
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from autograder.course.course_file import Course, Library, Limits
from autograder.course.errors import UserError
from autograder.sandbox.child import Child, ChildKind, Children, InternalError
from autograder.sandbox.connection import Deadline
from autograder.sandbox.fork_server import START_SECONDS, ForkServer, ForkServers, LibraryProcess
from autograder.sandbox.spawn import Spawner, slow_modules_in
from autograder.worker.confinement import LAYERS, TOO_MANY_TASKS, Level

LEVELS: tuple[Level, ...] = ("full", "landlock", "no-open")
TRIES = 5
SHELL = "/usr/bin/sh"  # this file also exists in the private root
PROBE = Path(__file__).with_name("probe.py")
PROBE_IMPORTS = "numpy.random ctypes fcntl pathlib signal socket threading typing".split()  # noqa: SIM905


@functools.cache
def why_not(level: Level) -> str:
    """Return why a level does not work here, or "". A child tries what the level must forbid."""
    if sys.platform != "linux":
        return "it needs Linux"
    for _ in range(TRIES):
        try:
            return _tried(level)
        except InternalError as error:
            if not error.killed:
                return str(error)
    raise UserError(
        "The grader could not test the confinement: something on this machine kills its processes."
    )


def _tried(level: Level) -> str:
    """Return a forbidden action that succeeded, the reason why no child started, or ""."""
    with tempfile.TemporaryDirectory() as folder:
        secret = Path(folder, "secret")
        secret.write_text("an answer")
        secret.chmod(0o644)
        Path(folder).chmod(0o755)
        libraries = LibraryProcess(PROBE_IMPORTS, LAYERS[level], (), ())
        server = ForkServer(libraries)
        try:
            child = server.fork(Limits())
            try:
                return _what_it_could_do(child, str(secret))
            finally:
                child.end()
        except OSError as error:
            return str(error).strip() or type(error).__name__
        finally:
            server.close()
            libraries.close()


def attempts(secret: str) -> Iterator[tuple[str, list[Any]]]:
    """Yield the name and the arguments of each forbidden action to try.

    The deletion of a file comes after all actions that need the file. Threads come last, because
    too many threads kill the child.
    """
    judge = os.getpid()
    for path in (secret, "/etc/passwd", "/proc/self/environ", f"/proc/{judge}/status"):
        yield "read", [path]
    yield "list a folder", ["/proc"]
    yield "fork", []
    for program in filter(os.path.exists, (sys.executable, SHELL)):
        yield "execute", [program]
        yield "start a program", [program]
    for family in (socket.AF_INET, socket.AF_INET6, socket.AF_UNIX):
        for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
            yield "connect", [int(family), int(kind)]
    yield "connect to an abstract socket", []
    for name in ("signal", "signal a thread", "choose who gets the signals of a pipe", "trace"):
        yield name, [judge]
    yield "choose the signal of a pipe", []
    yield "request a signal from a pipe", []
    yield "request a signal by ioctl", []
    yield "read memory", [judge, id(None)]
    for name in ("write", "truncate", "chmod", "delete"):
        yield name, [secret]
    yield "create", [f"{secret}.new"]
    yield "start threads", []


def _what_it_could_do(child: Child, secret: str) -> str:
    from autograder.sandbox.process import WorkerGone, WorkerProcess  # imports NumPy
    from autograder.worker.messages import Request, Unit

    worker = WorkerProcess(child)
    load = Request("load", "probe", units=[Unit("probe.py", PROBE.read_text(encoding="utf-8"))])
    calls = [("answer", []), *attempts(secret)]
    asked = [(name, Request("call", "is_possible", [name, *args])) for name, args in calls]
    for name, request in [("load", load), *asked]:
        try:
            reply = worker.exchange(request, Deadline(START_SECONDS, worker.child.clock))
        except WorkerGone as gone:  # an exec may have replaced the process
            if gone.code == TOO_MANY_TASKS and name == "start threads":
                continue
            if gone.code == -signal.SIGKILL:
                raise InternalError("something killed its test", killed=True) from None
            return f"a confined process gave no answer after it tried to {name}"
        if name in {"load", "answer"}:
            if reply.value is False or reply.problem or reply.problems:
                return "a confined process gave a wrong answer"
        elif reply.value is not False:
            return f"a confined process could still {name}"
    return ""


def choose(wanted: Level | None, own_code: bool) -> Level:
    """Return the requested level. By default, return the strongest working level."""
    for level in LEVELS:
        if wanted in {level, None}:
            reason = why_not(level)
            if not reason:
                return level
            if wanted is not None:
                raise UserError(f"The confinement {wanted!r} does not work here: {reason}")
    if own_code:
        return "none"
    raise UserError(
        "Nothing on this machine can confine submitted code. It could read your files, so it is "
        "not run. Use a Linux machine or container: `autograder doctor` lists what is missing. "
        "If all the code is your own, add --own-code."
    )


def children_on(
    level: Level,
    course: Course,
    secret: Sequence[Path],
    scratch: Path,
    core: int | None = None,
) -> Children:
    """Return a source of children on a level. The children cannot read the course's solutions.

    The children run on the processor core `core`.
    """
    reference = course.content.reference
    if sys.platform != "linux":
        return Spawner(reference, ahead=True, scratch=scratch)
    own = [*course.grading, course.solutions, Path(__file__).resolve().parent.parent]
    return ForkServers(reference, level, [*own, *secret], scratch, core)


def children_for(
    course: Course, start: Library | None = None, path: Path | None = None
) -> Children:
    """Return a source of children without confinement, for code of the user.

    With `start`, the first child starts at once, with the modules for the file at `path`.
    """
    reference = course.content.reference
    is_linux = sys.platform == "linux"
    children = ForkServers(reference, "none") if is_linux else Spawner(reference, ahead=True)
    if start is not None:
        also = slow_modules_in(path) if path is not None else ()
        children.prepare(ChildKind(start, course.content.limits, also))
    return children
