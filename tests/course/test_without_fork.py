"""The core imports on a system that has neither `fork` nor `fcntl`, such as a browser."""

import subprocess
import sys

import pytest

PACKAGES = ("course", "submission", "report", "checks", "diagnosis", "author")
IMPORTS = """
import importlib, os, pkgutil, sys
for name in ("fork", "forkpty", "register_at_fork"):
    delattr(os, name)
sys.modules.update(dict.fromkeys(("fcntl", "pty", "resource", "termios", "tty")))
package = importlib.import_module(f"autograder.{sys.argv[1]}")
for module in pkgutil.walk_packages(getattr(package, "__path__", ()), package.__name__ + "."):
    importlib.import_module(module.name)
"""


@pytest.mark.parametrize("package", PACKAGES)
def test_a_package_of_the_core_imports(package):
    done = subprocess.run([sys.executable, "-c", IMPORTS, package], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
