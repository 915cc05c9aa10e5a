"""`autograder release`: folders, zips, updates, and work of an older release."""

import ast
import csv
import os
import subprocess
import sys
import zipfile

import pytest
from click.testing import CliRunner

from autograder.authoring.release import update, without_work
from autograder.cli import app
from autograder.course.errors import UserError
from autograder.course.files import zipped
from tests.authoring.conftest import NAMES


def test_update_keeps_what_was_written(kit, released):
    written = kit / "exercises/word_counts.py"
    written.write_text("def count_words(text):\n    return {}\n")
    (kit / "released/checks/test_gone.py").write_text("")
    (kit / "exercises/notes.txt").write_text("mine")
    newer = {**released, "exercises/byte_pairs.py": b"# newer\n", "README.md": b"newer\n"}
    assert update(kit, newer) == ["exercises/word_counts.py"]
    assert "return {}" in written.read_text()
    assert (kit / "exercises/byte_pairs.py").read_text() == "# newer\n"
    assert (kit / "README.md").read_text() == "newer\n"
    assert (kit / "exercises/notes.txt").read_text() == "mine"
    assert not (kit / "released/checks/test_gone.py").exists()


def test_update_over_a_half_finished_folder_keeps_the_students_files(kit, released):
    """One exercise is written, one begun; beside them lie notes, progress, a copy, a figure."""
    mine = {
        "exercises/word_counts.py": "def count_words(text):\n    return {}\n",
        "exercises/byte_pairs.py": (kit / "exercises/byte_pairs.py").read_text() + "# to do\n",
        "exercises/byte_pairs_old.py": "old = 1\n",
        "exercises/another.py": "left = 'from an exercise that is no longer released'\n",
        "exercises/.autograder/word_counts.json": "{}",
        "exercises/figures/mine.png": "a picture",
        "notes.md": "mine",
    }
    for name, text in mine.items():
        (kit / name).parent.mkdir(parents=True, exist_ok=True)
        (kit / name).write_text(text)
    (kit / "README.md").unlink()
    kept = ["exercises/byte_pairs.py", "exercises/word_counts.py"]
    newer = {n: d + b"\n# newer\n" if n.endswith(".py") else d for n, d in released.items()}
    for _ in range(2):  # the second time over its own result
        assert update(kit, newer) == kept
        assert {name: (kit / name).read_text() for name in mine} == mine
    assert (kit / "README.md").is_file()
    assert b"# newer" in (kit / "released/handed_out/word_counts.py").read_bytes()


def test_update_keeps_all_work_where_the_earlier_stubs_are_gone(kit, released):
    for path in (kit / "released/handed_out").iterdir():
        path.unlink()
    (kit / "released/handed_out").rmdir()
    newer = {**released, "exercises/byte_pairs.py": b"# newer\n"}
    before = (kit / "exercises/byte_pairs.py").read_bytes()
    assert "exercises/byte_pairs.py" in update(kit, newer)
    assert (kit / "exercises/byte_pairs.py").read_bytes() == before


def test_update_needs_a_release(tmp_path, released):
    with pytest.raises(UserError, match="no student kit"):
        update(tmp_path, released)


def test_a_zip_to_update_has_no_exercise(released):
    assert not any(name.startswith("exercises/") for name in without_work(released))
    assert zipped(released.items()) == zipped(dict(released).items())


def test_what_is_there_is_not_overwritten(tmp_path, marked):
    (tmp_path / "mine.txt").write_text("mine")
    asked = ["release", str(tmp_path), "--course", str(marked.root)]
    result = CliRunner().invoke(app, asked)
    assert isinstance(result.exception, UserError)
    assert "--update" in str(result.exception)
    assert [each.name for each in tmp_path.iterdir()] == ["mine.txt"]


def test_a_released_course_cannot_be_released(kit, tmp_path):
    result = CliRunner().invoke(app, ["release", str(tmp_path / "again"), "--course", str(kit)])
    assert "is a student kit and has no reference to record" in str(result.exception)


def test_work_of_an_older_release_is_graded_with_a_word(kit, marked, tmp_path):
    for student, digest in (("old", "0" * 12), ("new", "")):
        folder = tmp_path / "class" / student
        folder.mkdir(parents=True)
        handed_out = (kit / "exercises/word_counts.py").read_text()
        line = next(each for each in handed_out.split("\n") if each.startswith("# Handed out as"))
        line = line.replace(line.split()[4].rstrip(":"), digest) if digest else line
        solution = marked.solution_file("word_counts").read_text(encoding="utf-8")
        (folder / "word_counts.py").write_text(f"{solution}\n{line}\n")
    out = tmp_path / "out"
    asked = ["grade", str(tmp_path / "class"), "--out", str(out), "--course", str(marked.root)]
    asked += ["--exercise", "word_counts", "--workers", "1", "--own-code"]
    result = CliRunner().invoke(app, asked)
    assert result.exit_code == 0, result.output
    with (out / "grades.csv").open(encoding="utf-8-sig", newline="") as file:
        new, old = csv.DictReader(file)
    assert new["total"] == old["total"] == "6"
    assert "another release of the course (000000000000)" in old["notes"]
    assert "another release" not in new["notes"]


LONELY = """
import runpy, sys
from pathlib import Path
sys.path[:] = [each for each in sys.path if not (Path(each) / "reference").is_dir()]
sys.path.insert(0, sys.argv.pop(1))
runpy.run_module("autograder", run_name="__main__")
"""


def test_a_zip_unpacked_anywhere_works_with_its_own_wheel(released, marked, tmp_path):
    """In a process that has the libraries of this environment, and nothing else of the course."""
    kit, engine = tmp_path / "kit", tmp_path / "engine"
    (tmp_path / "kit.zip").write_bytes(zipped(released.items()))
    with zipfile.ZipFile(tmp_path / "kit.zip") as archive:
        archive.extractall(kit)
    (wheel,) = kit.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(engine)
    assert not (kit / "reference").exists()
    (kit / "exercises/byte_pairs.py").write_bytes(marked.solution_file("byte_pairs").read_bytes())
    bare = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "AUTOGRADER"))}
    done = subprocess.run(
        [sys.executable, "-I", "-c", LONELY, str(engine), "check", *NAMES],
        cwd=kit,
        env=bare,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert "✗ word_counts  0 of 6 points" in done.stdout, done.stderr
    assert "byte_pairs  10 of 12 points" in done.stdout
    assert done.returncode == 1


@pytest.mark.thorough
def test_a_solution_that_serves_as_the_reference_can_be_released(tmp_path, text_course):
    command = ["release", str(tmp_path / "kit"), "--course", str(text_course)]
    done = CliRunner().invoke(app, [*command, "--exercise", "spelling"])
    assert done.exit_code == 0, done.output
    assert "spelling" in done.output and "(100 %)" in done.output


def test_no_hint_of_a_check_is_a_text_of_the_engine(root):
    """The engine's wheel is in each kit, also in one whose policy shows no third hint."""

    def texts(path):
        nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        return {n.value for n in nodes if isinstance(n, ast.Constant) and isinstance(n.value, str)}

    of_the_engine = set().union(*map(texts, (root / "autograder/diagnosis").rglob("*.py")))
    for path in (root / "reference/checks").glob("*.py"):
        assert {text for text in texts(path) & of_the_engine if len(text) > 25} == set(), path
