"""Which rung of confinement this machine offers: found by trying, the strongest first."""

import functools
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from autograder.course import Course, Limits
from autograder.errors import UserError
from autograder.judge.child import Children, GraderTrouble
from autograder.judge.client import Client
from autograder.judge.problems import StudentProblem
from autograder.judge.spawn import Spawner
from autograder.submission.source import Source
from autograder.worker.confinement import Rung
from autograder.worker.messages import Request, Unit

LADDER: tuple[Rung, ...] = ("full", "landlock", "no-open")
TRIES = 5
PROBE = """
import os, socket

def read(path):
    with open(path) as file:
        return file.read()

def fork():
    child = os.fork()
    if not child:
        os._exit(0)
    return child

def connect():
    return socket.socket().fileno()

def signal(process):
    return os.kill(process, 0)

def fine():
    return 42
"""


@functools.cache
def why_not(rung: Rung) -> str:
    """Why a rung does not hold here; empty if it does.

    A child is started on it and tries what it must not be able to do.
    """
    if sys.platform != "linux":
        return "it needs Linux"
    for _ in range(TRIES):
        try:
            return _once(rung)
        except GraderTrouble as trouble:
            if not trouble.killed:
                return str(trouble)
    raise UserError("The confinement could not be tried: something keeps killing its processes.")


def _once(rung: Rung) -> str:
    from autograder.judge.forkserver import ForkServers

    with tempfile.TemporaryDirectory() as folder:
        secret = Path(folder, "secret")
        secret.write_text("an answer")
        secret.chmod(0o644)
        Path(folder).chmod(0o755)
        children = ForkServers("reference", rung)
        try:
            return _try(children, str(secret))
        except (StudentProblem, OSError) as error:
            return str(error).strip() or type(error).__name__
        finally:
            children.close()


def _try(children: Children, secret: str) -> str:
    source = Source("probe", "probe.py", (Unit("probe.py", PROBE),))
    client = Client(source, "numpy", Limits(), children, last_try=False)
    try:
        if client.ask(Request("call", "fine")).value != 42:
            return "a confined process gave a wrong answer"
        for name, args in (
            ("read", [secret]),
            ("fork", []),
            ("connect", []),
            ("signal", [os.getpid()]),
        ):
            try:
                client.ask(Request("call", name, args))
            except StudentProblem:
                continue
            return f"a confined process could still {name}"
    finally:
        client.close()
    return ""


def choose(wanted: Rung | None, own_code: bool) -> Rung:
    """The rung to grade on: the one that is wanted, or the strongest that holds.

    Raises:
        UserError: none holds, and the code is not one's own.
    """
    if wanted is not None and wanted != "none":
        reason = why_not(wanted)
        if reason:
            raise UserError(f"The confinement {wanted!r} does not hold here: {reason}")
        return wanted
    if wanted is None:
        for rung in LADDER:
            if not why_not(rung):
                return rung
    if own_code:
        return "none"
    raise UserError(
        "Nothing on this machine can confine the submissions' code, so others' work is not graded "
        "here: it could read your files. Use a Linux machine or container (`autograder doctor` "
        "says what is missing), or say --own-code if all of it is your own."
    )


def children_on(
    rung: Rung, course: Course, secret: Sequence[Path], scratch: Path, core: int | None = None
) -> Children:
    """A source of children on that rung, for which nothing of the course's answers is readable.

    They run on the one `core`, if one is named.
    """
    reference = course.content.reference
    if sys.platform != "linux":
        return Spawner(reference, ahead=True, scratch=scratch)
    from autograder.judge.forkserver import ForkServers

    own = [course.root / reference, course.root / course.content.checks, course.root / "solutions"]
    engine = Path(__file__).resolve().parent.parent
    return ForkServers(reference, rung, [*own, engine, *secret], scratch, core)
