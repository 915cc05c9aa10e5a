"""Commands as typed, or forked from a process that has imported nbgrader.

The import takes more than a second: too long for a test, but a benchmark has to include it.
"""

import multiprocessing
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from autograder.classroom.judge_pool import PRELOADED

Done = subprocess.CompletedProcess
Run = Callable[[Sequence[str], Path, Mapping[str, str]], "Done[str]"]

FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload([*PRELOADED, "nbgrader.apps.nbgraderapp", "autograder.cli"])

# As `python -m MODULE ARGS`, run by the machine's user that the first argument may name.
AS = """
import pwd, runpy, sys
del sys.argv[0]
user, real = sys.argv.pop(0), pwd.getpwuid
if user:
    pwd.getpwuid = lambda uid: pwd.struct_passwd((user, *tuple(real(uid))[1:]))
runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
"""


def typed(args: Sequence[str], cwd: Path, env: Mapping[str, str]) -> "Done[str]":
    """Run a user's module in a new process."""
    command = [sys.executable, "-c", AS, *args]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, env=env)


def forked(args: Sequence[str], cwd: Path, env: Mapping[str, str]) -> "Done[str]":
    """Run a user's module in a fork of a process that has imported the modules."""
    with tempfile.TemporaryDirectory(prefix="autograder-") as scratch:
        said = [Path(scratch, name) for name in ("out", "err")]
        process = FORKS.Process(target=_run, args=([*args], cwd, dict(env), said))
        process.start()
        process.join()
        out, err = (path.read_text(encoding="utf-8") for path in said)
    return Done([*args], process.exitcode or 0, out, err)


def _run(args: list[str], cwd: Path, env: dict[str, str], said: list[Path]) -> None:
    for stream, path in enumerate(said, start=1):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT), stream)
    os.environ.clear()
    os.environ.update(env)
    os.chdir(cwd)
    sys.argv = ["-c", *args]
    exec(AS, {"__name__": "__main__"})
