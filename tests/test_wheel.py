"""The wheel, in an environment of its own: the engine alone, for a course that lies anywhere."""

import os
import subprocess
import sys
import sysconfig
import venv
import zipfile

import pytest


@pytest.fixture
def command(tmp_path, root):
    """`autograder`, installed from the wheel; what it depends on comes from the environment here.

    A `.pth` file lends the libraries, and nothing of an editable install: Python reads no such file
    in a folder that another one names.
    """
    hatch = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(hatch, cwd=root, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    home = tmp_path / "environment"
    venv.create(home)
    scripts = sysconfig.get_path("scripts", "venv", {"base": str(home)})
    libraries = sysconfig.get_path("purelib", "venv", {"base": str(home)})
    with zipfile.ZipFile(wheel) as archive:
        assert {name.split("/")[0] for name in archive.namelist()} == {
            "autograder",
            next(name for name in archive.namelist() if "dist-info" in name).split("/")[0],
        }
    python = os.path.join(scripts, "python")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", python]
    install = [*pip, "install", "--quiet", "--no-deps", "--no-index", "--no-compile", str(wheel)]
    subprocess.run(install, check=True, capture_output=True)
    with open(os.path.join(libraries, "lent.pth"), "w") as file:
        file.write(sysconfig.get_path("purelib") + "\n")

    def run(*args, cwd):
        bare = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "AUTOGRADER"))}
        return subprocess.run(
            [os.path.join(scripts, "autograder"), *map(str, args)],
            cwd=cwd,
            capture_output=True,
            text=True,
            timeout=120,
            env=bare,
        )

    return run


def test_a_course_anywhere_is_begun_and_checked(command, tmp_path):
    far = tmp_path / "far away"
    far.mkdir()
    nowhere = command("check", "shares", cwd=far)
    assert nowhere.returncode == 2
    assert f"{far} is not in a course" in nowhere.stderr
    assert "autograder new course FOLDER" in nowhere.stderr
    begun = command("new", "course", "course", cwd=far)
    assert begun.returncode == 0, begun.stderr
    stub = command("check", "shares", cwd=far / "course")
    assert (stub.returncode, "0 of 4 points" in stub.stdout) == (1, True), stub.stderr
    wrong = far / "shares.py"
    wrong.write_text("import numpy as np\ndef shares(x): return x / np.max(x)\n")
    checked = command("check", wrong, "--course", "course", cwd=far)
    assert checked.returncode == 1
    assert "Your numbers are shares of the largest number" in checked.stdout, checked.stderr
