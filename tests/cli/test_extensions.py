"""Extensions that are not installed: the core works without each, and says what to install."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

EXTENSIONS = {  # by package: the extra that installs it, and a command that needs it
    "cluster": ("cluster", ["grade", "class", "--out", "o", "--scheduler", "tcp://x:1"]),
    "desk": ("desk", ["desk", "results"]),
    "nbgrader": ("nbgrader", ["nbgrader", "init", "folder"]),
    "platforms": ("platforms", ["export", "canvas", "results", "--out", "o.csv"]),
    "similarity": ("similar", ["similar", "class", "--out", "o"]),
}
IMPORT_ALL = """
import importlib, pkgutil, autograder
for module in pkgutil.walk_packages(autograder.__path__, "autograder."):
    extension = module.name.split(".")[1] in {"cluster", "desk", "nbgrader"}  # which need libraries
    if not extension and module.name not in {"autograder.__main__", "autograder.worker.start"}:
        importlib.import_module(module.name)
"""
CORE = "authoring checks classroom cli course diagnosis grading report sandbox student submission"
ALSO_OF_EXTENSIONS = (  # tests of the core that test an extension besides
    *("authoring/test_pictures", "classroom/test_roster", "course/test_installation"),
    *("grading/test_one_way", "report/test_redaction"),
)
THAT_EXPORT = (  # single tests of the core that also look at an export
    "test_marks.py::test_marks_that_the_results_do_not_have_are_not_exported",
    "test_marks.py::test_a_mark_of_the_desk_becomes_the_grade_and_the_export_waits_for_it",
    "test_pseudonyms.py::test_the_key_gives_everybody_back",
    "test_the_story.py::test_only_what_should_change_does",
)


def engine_without(root: Path, folder: Path, *packages: str) -> dict[str, str]:
    """Copy the engine without some packages; return the environment that runs it."""
    shutil.copytree(root / "autograder", folder / "autograder")  # compiled code too: it saves time
    for package in packages:
        shutil.rmtree(folder / "autograder" / package)
    return {**os.environ, "PYTHONPATH": str(folder), "AUTOGRADER_COURSE": str(root)}


@pytest.mark.one_in(5)
@pytest.mark.parametrize("package", EXTENSIONS)
def test_the_core_works_without_an_extension_and_names_its_extra(root, tmp_path, package):
    environment = engine_without(root, tmp_path / "engine", package)
    (tmp_path / "class" / "ann").mkdir(parents=True)
    shutil.copy(root / "solutions" / "softmax.py", tmp_path / "class" / "ann")

    def run(*command):
        return subprocess.run(
            [sys.executable, *command],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
        )

    done = run("-c", IMPORT_ALL)
    assert done.returncode == 0, done.stderr
    done = run("-m", "autograder", "check", "class/ann/softmax.py")
    assert "12 of 12 points" in done.stdout, done.stderr
    done = run(
        *("-m", "autograder", "grade", "class", "--out", "results", "--exercise", "softmax"),
        *("--own-code", "--workers", "1"),
    )
    assert done.returncode == 0 and "graded 1 of 1" in done.stderr, done.stderr
    extra, command = EXTENSIONS[package]
    done = run("-m", "autograder", *command)
    assert done.returncode == 2
    assert f"needs the extension {extra} (not installed). Run: " in done.stderr
    assert " -m pip install " in done.stderr


@pytest.mark.thorough
def test_the_cores_tests_pass_without_any_extension(root, tmp_path):
    copy = tmp_path / "kit"
    environment = engine_without(root, copy, *EXTENSIONS)
    for name in ("tests", "reference", "solutions", "exercises", "examples", "lessons", "tools"):
        shutil.copytree(root / name, copy / name)
    for name in ("course.yml", "pyproject.toml"):
        shutil.copy(root / name, copy)
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"),
            *(f"tests/{name}" for name in CORE.split()),
            *(f"--ignore=tests/{name}.py" for name in ALSO_OF_EXTENSIONS),
            *(f"--deselect=tests/classroom/{name}" for name in THAT_EXPORT),
            *("-k", "not test_extensions"),
        ],
        cwd=copy,
        env={**environment, "AUTOGRADER_COURSE": str(copy)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout[-5000:]
