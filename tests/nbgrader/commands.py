"""Commands in processes forked from one that has imported nbgrader, which takes more than a second."""

import multiprocessing
import os
import runpy
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(["nbgrader.apps.nbgraderapp", "autograder.cli", "autograder.nbgrader"])


def run(
    module: str, args: Sequence[str], cwd: Path, env: Mapping[str, str], user: str = ""
) -> subprocess.CompletedProcess[str]:
    """As `python -m MODULE ARGS` does, by a user of the machine whom `user` names."""
    with tempfile.TemporaryDirectory(prefix="autograder-") as scratch:
        said = [Path(scratch, name) for name in ("out", "err")]
        started = FORKS.Process(target=_run, args=(module, [*args], cwd, dict(env), user, said))
        started.start()
        started.join()
        out, err = (path.read_text(encoding="utf-8") for path in said)
    return subprocess.CompletedProcess([module, *args], started.exitcode or 0, out, err)


def _run(
    module: str, args: list[str], cwd: Path, env: dict[str, str], user: str, said: list[Path]
) -> None:
    for stream, path in enumerate(said, start=1):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT), stream)
    os.environ.clear()
    os.environ.update(env)
    os.chdir(cwd)
    if user:
        _be(user)
    sys.argv = [module, *args]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


def _be(user: str) -> None:
    import pwd

    real = pwd.getpwuid
    pwd.getpwuid = lambda uid: pwd.struct_passwd((user, *tuple(real(uid))[1:]))
