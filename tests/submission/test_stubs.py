"""What is handed out is known, whatever has become of the files in `exercises` since."""

import os
import shutil
import subprocess
import sys

import pytest

from autograder.course.course_file import load_course
from autograder.student.targets import find_file
from autograder.submission.code import read_code
from autograder.submission.source import Source
from autograder.submission.stubs import exercises_in, read_stubs
from autograder.worker.messages import Unit

NAMES = ("softmax", "causal_mask", "reflection", "hand_computation", "multi_head_attention")


@pytest.fixture
def folder(tmp_path, root):
    """The course as somebody has it who writes into its own folder."""
    for name in ("exercises", "solutions", "reference"):
        shutil.copytree(root / name, tmp_path / name)
    shutil.copy(root / "course.yml", tmp_path)
    return tmp_path


@pytest.fixture
def here(folder, monkeypatch):
    monkeypatch.chdir(folder)
    return load_course(folder / "course.yml")


def solved(folder, name):
    lines = (folder / "solutions" / f"{name}.py").read_text().splitlines(keepends=True)
    return "".join(line for line in lines if "SOLUTION" not in line)


def solve(folder, name, suffix):
    text = solved(folder, name)
    if suffix == ".ipynb":
        from autograder.authoring.build import as_book, written

        text = written(as_book(text))
    (folder / "exercises" / f"{name}{suffix}").write_text(text)


def newer(folder, name, suffix):
    for each in (".py", ".ipynb"):
        at = 2_000_000_000 if each == suffix else 1_000_000_000
        os.utime(folder / "exercises" / f"{name}{each}", (at, at))


@pytest.mark.one_in(5)
@pytest.mark.parametrize("name", NAMES)
def test_stubs_made_of_solutions_are_those_that_are_handed_out(folder, name):
    course = load_course(folder / "course.yml")
    made = read_stubs(course)
    shutil.rmtree(folder / "solutions")
    assert read_stubs(course)[name].asked == made[name].asked
    assert read_stubs(course)[name].answers == made[name].answers
    assert read_stubs(course)[name].code.statements == made[name].code.statements


@pytest.mark.one_in(9)
@pytest.mark.parametrize("solutions", [True, False])
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("written", [".py", ".ipynb"])
def test_the_twin_that_is_written_is_the_answer(folder, here, name, written, solutions):
    solve(folder, name, written)
    if not solutions:
        shutil.rmtree(folder / "solutions")
    for latest in (".py", ".ipynb"):
        newer(folder, name, latest)
        assert find_file(here, here.exercise(name)).suffix == written


@pytest.mark.parametrize("latest", [".py", ".ipynb"])
def test_of_two_that_are_written_the_newer(folder, here, latest):
    for suffix in (".py", ".ipynb"):
        solve(folder, "softmax", suffix)
    newer(folder, "softmax", latest)
    assert find_file(here, here.exercise("softmax")).suffix == latest


def test_files_that_are_solved_are_nobodys_stubs(folder):
    """A teacher's folder in which all is solved: students who solve it too have written it."""
    course = load_course(folder / "course.yml")
    before = read_stubs(course)
    for name in NAMES:
        for suffix in (".py", ".ipynb"):
            solve(folder, name, suffix)
    after = read_stubs(course)
    assert {name: stub.asked for name, stub in before.items()} == {
        name: stub.asked for name, stub in after.items()
    }
    assert after["softmax"].handed_out == before["softmax"].handed_out


def test_a_solution_with_broken_markers_is_not_used(folder):
    course = load_course(folder / "course.yml")
    path = folder / "solutions" / "softmax.py"
    path.write_text(path.read_text().replace("### END SOLUTION", ""))
    assert read_stubs(course)["softmax"].asked == ["softmax"]


def test_a_file_does_not_define_what_it_imports(course):
    units = (
        Unit("mine.py", "from softmax import softmax\n\ndef create_causal_mask(n): return n\n"),
    )
    assert (
        list(exercises_in(Source("mine", "mine.py", units), read_code(units), read_stubs(course)))
        == []
    )
    own = (Unit("mine.py", "def softmax(x): return x\n"),)
    found = exercises_in(Source("mine", "mine.py", own), read_code(own), read_stubs(course))
    assert found == {"softmax": ["softmax"]}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("written", [".py", ".ipynb"])
def test_check_grades_what_was_written_in_the_courses_own_folder(folder, written):
    solve(folder, "softmax", written)
    other = ".py" if written == ".ipynb" else ".ipynb"
    newer(folder, "softmax", other)
    done = subprocess.run(
        [sys.executable, "-m", "autograder", "check", "softmax"],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert f"(exercises/softmax{written}): 12 of 12 points" in done.stdout, (
        done.stdout + done.stderr
    )
