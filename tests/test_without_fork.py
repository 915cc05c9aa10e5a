"""The core imports on a system that has neither `fork` nor `fcntl`, as in a browser."""

import subprocess
import sys

import pytest

PACKAGES = ("course", "submission", "checks", "diagnosis", "report", "author")
PROGRAM = """
import importlib, os, pkgutil, signal, sys

ABSENT = {"fcntl", "resource", "pwd", "grp", "termios", "tty", "pty", "syslog",
          "_multiprocessing", "_posixshmem", "landlockpy", "pyseccomp", "torch"}


class Absent:
    @staticmethod
    def find_spec(name, *_):
        if name in ABSENT:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


sys.meta_path.insert(0, Absent)
for name in ABSENT:
    sys.modules.pop(name, None)
for name in ("fork", "forkpty", "register_at_fork", "setsid", "killpg", "getuid", "geteuid", "getgid",
             "sched_getaffinity", "sched_setaffinity", "mkfifo", "posix_spawn"):
    vars(os).pop(name, None)
for name in ("SIGKILL", "SIGALRM", "SIGCHLD", "SIGHUP", "setitimer", "pthread_sigmask"):
    vars(signal).pop(name, None)

package = importlib.import_module(f"autograder.{sys.argv[1]}")
names = [package.__name__]
if hasattr(package, "__path__"):
    names += [each.name for each in pkgutil.walk_packages(package.__path__, package.__name__ + ".")]
for name in names:
    importlib.import_module(name)
if sys.argv[1] == "author":
    for name in dir(package):
        getattr(package, name)
print(len(names))
"""


@pytest.mark.parametrize("package", PACKAGES)
def test_a_package_imports_whole(root, package):
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM, package], cwd=root, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    assert int(run.stdout) > (0 if package == "author" else 5)
