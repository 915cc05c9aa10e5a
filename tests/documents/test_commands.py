"""Every command of the documents exists, and runs as printed or has a reason why not."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest

from autograder.cli import COMMANDS, load_command
from tests.conftest import ROOT
from tests.documents.blocks import blocks, pages

PAGES = {path.relative_to(ROOT).as_posix(): path for path in pages()}
# Blocks of these pages are run by other tests, named here.
ELSEWHERE = {
    "README.md": "CI runs `make test`; tests/classroom/test_grade_class.py grades the sample class",
    "docs/authors.md": "tests/authoring/test_guide.py",
    "docs/clusters.md": "tests/cluster, without the servers that the page speaks of",
    "docs/nbgrader.md": "tests/nbgrader/test_cycle.py",
}
QUICK = ("docs/tutorials/first-exercise.md", "docs/tutorials/first-class.md")
BEFORE_ALL = ("grade SUBMISSIONS --out RESULTS --exercise softmax",)
BEFORE = {
    "docs/how-to/regrade.md": (
        "adjust RESULTS s01 softmax --add -1 --why x",
        "grade SUBMISSIONS --out RESULTS --exercise softmax --apply",
    ),
    "docs/how-to/other-platforms.md": ("release KIT --exercise qkv_projection",),
}
FILES = {
    "students.csv": "s01\ns06\n",
    "roster.csv": "id,name,email,canvas,excused\ns01,Anna Muster,,9001,\ns06,Ben Beispiel,,9002,\n",
}
OWN = re.compile(r"(?:^|[`\s(])(?:\.venv/bin/)?autograder((?: +[^`\n|;&]+)?)")


def called(page: Path) -> list[list[str]]:
    """The words of each call of `autograder` on a page, in blocks and in the text."""
    text = page.read_text(encoding="utf-8")
    inline = re.findall(r"`([^`\n]+)`", re.sub(r"```.*?```", "", text, flags=re.DOTALL))
    lines = [line for block in blocks(page) if block.language == "sh" for line in block.commands]
    found = []
    for line in [*lines, *inline]:
        match = re.match(r"(?:\.venv/bin/)?autograder( .*)?$", line)
        if match and not re.search(r"[…{]", line):
            found.append(shlex.split(re.split(r" [|<>&]", match[1] or "")[0]))
    return found


def options_of(command: click.Command) -> set[str]:
    return {name for param in command.params for name in (*param.opts, *param.secondary_opts)} | {
        "-h",
        "--help",
    }


@pytest.mark.parametrize("name", PAGES)
def test_every_command_and_option_exists(name):
    for words in called(PAGES[name]):
        if not words or words[0] == "changed" or words[0].startswith("-"):
            continue
        assert words[0] in COMMANDS, words
        command = load_command(words[0])
        if isinstance(command, click.Group) and len(words) > 1:
            command = command.commands[words[1]]
        given = {word.partition("=")[0] for word in words if word.startswith("--")}
        assert given <= options_of(command), words


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """A course with a graded class, in which the pages' commands run."""
    folder = tmp_path_factory.mktemp("documents") / "course"
    folder.mkdir()
    for name in ("reference", "solutions", "lessons"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "course.yml", folder)
    (folder / "exercises").mkdir()
    for name in ("softmax", "causal_mask"):
        shutil.copy(ROOT / "exercises" / f"{name}.py", folder / "exercises")
    for number in range(6):  # a class summary wants five
        work = ROOT / "examples" / "class" / ("s06" if number == 5 else "s01") / "softmax.py"
        student = folder / "SUBMISSIONS" / f"s0{number + 1}"
        student.mkdir(parents=True)
        shutil.copy(work, student)
    shutil.copytree(ROOT / "examples" / "canvas", folder / "examples" / "canvas")
    for name, text in FILES.items():
        (folder / name).write_text(text)
    (folder / ".venv").symlink_to(sys.prefix)
    return folder


def run_page(name: str, folder: Path) -> str:
    """Run the blocks of a page in order; return what they print. A command may end with 0 or 1."""
    shown = []
    for block in blocks(PAGES[name]):
        if block.language == "python" and re.match(r"def softmax", block.text):
            text = f"import numpy as np\n\n\n{block.text}"
            (folder / "exercises" / "softmax.py").write_text(text)
        if block.language != "sh" or block.reason:
            continue
        script = "\n".join(f"{line}\n[ $? -le 1 ] || exit 9" for line in block.commands)
        path = f"{Path(sys.prefix) / 'bin'}{os.pathsep}{os.environ['PATH']}"
        done = subprocess.run(
            ["bash", "-c", script],
            cwd=folder,
            env={**os.environ, "PATH": path, "COLUMNS": "100"},
            capture_output=True,
            text=True,
            timeout=600,
        )
        assert done.returncode <= 1, f"{block.text}\n{done.stdout}\n{done.stderr}"
        shown.append(done.stdout + done.stderr)
    return "\n".join(shown)


def runs(name: str) -> bool:
    return name not in ELSEWHERE and any(
        block.language == "sh" and not block.reason for block in blocks(PAGES[name])
    )


LINUX = pytest.mark.skipif(sys.platform != "linux", reason="class grading needs Linux")


@LINUX
@pytest.mark.parametrize("name", QUICK)
def test_a_tutorial_runs_as_printed(name, results, tmp_path):
    folder = tmp_path / "course"
    shutil.copytree(results, folder, symlinks=True)
    shown = run_page(name, folder)
    if "exercise" in name:
        assert "Your numbers match a softmax along the first axis" in shown
        assert "12 of 12 points" in shown
    else:
        (table,) = (block for block in blocks(PAGES[name]) if block.language == "text")
        printed = {line.rstrip() for line in shown.splitlines()}
        assert set(table.text.splitlines()) <= printed, "run: python -m tools.facts"
        assert (folder / "feedback.zip").is_file()
        rows = (folder / "upload.csv").read_text().splitlines()
        cells = {row.partition(",")[0].strip('"'): row.rpartition(",")[2] for row in rows[2:]}
        assert cells == {
            "Musterfrau": "12",
            "Beispiel": "3",
            "Rocca": "10",
            "Ortiz": "",
            "Berg": "EX",
        }


@LINUX
@pytest.mark.thorough
@pytest.mark.parametrize("name", [name for name in PAGES if name not in QUICK and runs(name)])
def test_a_page_runs_as_printed(name, results, tmp_path):
    folder = tmp_path / "course"
    shutil.copytree(results, folder, symlinks=True)
    for command in BEFORE_ALL + BEFORE.get(name, ()):
        line = [sys.executable, "-m", "autograder", *shlex.split(command)]
        assert subprocess.run(line, cwd=folder, capture_output=True).returncode <= 1, command
    if "student-numbers" in name:
        course = (folder / "course.yml").read_text()
        variant = course.replace("points: 13\n", "points: 13\n    variant: per-student\n", 1)
        (folder / "course.yml").write_text(variant)
    run_page(name, folder)


def test_a_reason_says_what_a_block_needs():
    reasons = [block.reason for page in PAGES.values() for block in blocks(page) if block.reason]
    assert len(reasons) > 5
    assert all(len(reason.split()) >= 3 for reason in reasons)
