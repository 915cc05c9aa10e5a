"""Attacks run on a level or on any set of layers, to find those that succeed."""

import contextlib
import os
import socket
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from unittest import mock

from autograder.course.course_file import Limits
from autograder.sandbox.child import Children, InternalError
from autograder.sandbox.fork_server import ForkServers
from autograder.sandbox.problems import StudentProblem
from autograder.sandbox.session import WorkerSession
from autograder.sandbox.workers import Workers
from autograder.submission.source import Source
from autograder.worker.confinement import LAYERS, Level
from autograder.worker.messages import Request, Unit
from tests.confinement.attacks import ATTACKS

ROOT = Path(__file__).resolve().parents[2]
TOKEN = "the-secret-of-the-judge"
LIMITS = Limits(load_seconds=10, call_seconds=0.5, total_seconds=30, memory_mb=512)
PATIENT = Limits(load_seconds=30, call_seconds=30, total_seconds=60, memory_mb=512)
NEIGHBOUR = """\
import contextlib
def f(x):
    with contextlib.suppress(OSError):  # some levels forbid the file
        open('left.txt', 'w').write('theirs')
    return [2 * v for v in x]
"""


@contextmanager
def arena(layers: Sequence[str], level: Level = "full") -> Iterator["Arena"]:
    """Yield children confined by these layers."""
    with tempfile.TemporaryDirectory() as folder:
        secret = Path(folder, "secret")
        secret.write_text(TOKEN)
        secret.chmod(0o666)
        Path(folder).chmod(0o777)
        with (
            mock.patch.dict(LAYERS, {level: tuple(layers)}),
            mock.patch.dict(os.environ, {"SECRET_TOKEN": "hunter2"}),
        ):
            children = ForkServers("reference", level, [ROOT / "reference", ROOT / "autograder"])
            try:
                place = Arena(children, secret)
                assert place.is_neighbour_right()
                yield place
            finally:
                children.close()


class Arena:
    def __init__(self, children: Children, secret: Path) -> None:
        self.children = children
        self.secret = secret

    def gets_through(self, name: str) -> bool:
        """Return True if the attack did something forbidden, or learnt a secret.

        An innocent submission runs before each attack and after it: the one after an attack is the
        one before the next attack.
        """
        head = (
            f"import os, sys\nSECRET = {str(self.secret)!r}\nJUDGE = {os.getpid()}\n"
            f"REFERENCE = {str(ROOT / 'reference' / 'attention.py')!r}\nOTHER = 'theirs'\n"
            f"CHECKS = {str(ROOT / 'autograder' / 'checks' / 'test_softmax.py')!r}\n"
            f"HOST = {socket.gethostname()!r}\n"
        )
        body = "\n".join(f"    {line}" for line in ATTACKS[name].split("\n"))
        source = Source("work", "work.py", (Unit("work.py", f"{head}def f():\n{body}\n"),))
        client = WorkerSession(Workers(source, "numpy", LIMITS, self.children))
        value = None
        try:
            value = client.ask(Request("call", "f")).value
        except (StudentProblem, InternalError):
            pass
        finally:
            with contextlib.suppress(InternalError):
                client.close()
        harmed = self._harmed()
        return harmed or value is True or (isinstance(value, bytes) and _tells(value))

    def _harmed(self) -> bool:
        """Return True if the judge's file was changed, or an innocent submission fails."""
        try:
            if self.secret.read_text() == TOKEN and self.secret.stat().st_mode & 0o777 == 0o666:
                return not self.is_neighbour_right()
        except OSError:
            pass
        self.secret.write_text(TOKEN)
        self.secret.chmod(0o666)
        return True

    def is_neighbour_right(self) -> bool:
        """Return True if an innocent submission is graded right. It leaves a file behind."""
        source = Source("work", "work.py", (Unit("work.py", NEIGHBOUR),))
        client = WorkerSession(Workers(source, "numpy", PATIENT, self.children))
        try:
            return client.ask(Request("call", "f", [[1, 2]])).value == [2, 4]
        except StudentProblem:
            return False
        finally:
            client.close()


def _tells(data: bytes) -> bool:
    """Return True if bytes contain data of the judge's."""
    known = (TOKEN.encode(), b"root:x:0", b"def attention", b"pytest.mark.check")
    return any(word in data for word in known)


def main() -> None:
    """`python -m tests.confinement.arena LEVEL [EVERY]`: print the attacks that succeed.

    With a number N, only every Nth attack is made.
    """
    level: Level = sys.argv[1]  # type: ignore[assignment]
    made = list(ATTACKS)[:: int(sys.argv[2]) if sys.argv[2:] else 1]
    through = []
    with arena(LAYERS[level], level) as place:
        for name in made:
            if place.gets_through(name):
                through.append(name)
    print(f"{len(made)} attacks as uid {os.getuid()} on {level}: {len(through)} got through")
    for name in through:
        print(f"  {name}")
    sys.exit(bool(through))


if __name__ == "__main__":
    main()
