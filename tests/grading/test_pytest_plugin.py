"""`pytest NAME.py` checks a submission, with the options that pytest users know."""

import json
import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.courses import write_course

pytestmark = pytest.mark.one_in(2)

WRONG = """
import numpy as np
def softmax(x, axis=-1):
    e = np.exp(x)
    return e / e.sum()
"""


@pytest.fixture
def run(tmp_path, root):
    (tmp_path / "softmax.py").write_text(WRONG)

    def run(*args: str, given: str = "", course: Path = root) -> tuple[int, str]:
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *args],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            input=given,
            timeout=120,
            env={**os.environ, "AUTOGRADER_COURSE": str(course)},
        )
        return done.returncode, done.stdout + done.stderr

    return run


def test_a_submission_is_checked_and_never_imported(run, tmp_path):
    with (tmp_path / "softmax.py").open("a") as file:
        file.write("\nimport sys\nassert 'pytest' not in sys.modules, 'in the judge'\n")
    code, output = run("softmax.py")
    assert code == 1
    assert "2 passed" in output
    assert "in the judge" not in output
    assert "3 of 12 points" in output
    assert "At [0][0]: yours 0.0" in output
    assert (
        "There are two mistakes. 1: Your code has the effect of one softmax over the whole array. 2: "
        in output
    )
    assert "Hint: Along which axis do your results add up to 1" in output


@pytest.mark.thorough
def test_a_right_script_and_a_right_notebook_pass(run, root):
    notebook = root / "examples" / "class" / "s04" / "softmax.ipynb"
    code, output = run(str(root / "solutions" / "softmax.py"), str(notebook))
    assert code == 0, output
    assert output.count("12 of 12 points") == 2


def test_a_folder_is_collected(run, tmp_path):
    (tmp_path / "causal_mask.py").write_text("")
    (tmp_path / "notes.py").write_text("raise SystemExit('not a submission')")
    _, output = run(str(tmp_path), "--collect-only", "-q")
    assert "softmax.py::test_one_row" in output
    assert "causal_mask.py::test_mask_shape" in output
    assert "notes.py" not in output


@pytest.mark.thorough
def test_select_and_stop(run):
    _, output = run("softmax.py", "-x", "-k", "one_row or last_axis or any_axis")
    assert "1 failed, 1 passed, 5 deselected" in output
    assert "Not run: it was not selected." in output


@pytest.mark.thorough
def test_last_failed(run, tmp_path):
    run("softmax.py", "-p", "cacheprovider")
    _, output = run("softmax.py", "-p", "cacheprovider", "--lf", "-v")
    assert "test_one_row" not in output.split("test session starts")[1].split("FAILURES")[0]
    assert "6 failed, 2 deselected" in output


@pytest.mark.thorough
def test_the_debugger_stops_in_the_check(run):
    _, output = run("softmax.py", "-x", "--pdb", given="p 'shape is', x.shape\nc\n")
    assert "('shape is', (3, 2))" in output


@pytest.mark.thorough
def test_the_debugger_stops_in_the_line_that_raised(run, tmp_path):
    """In a process that knows no answer: the judge's modules are not there."""
    (tmp_path / "softmax.py").write_text(
        "import numpy as np\ndef softmax(x, axis=-1):\n    e = np.exp(x)\n    return np.reshape(e, 99)\n"
    )
    ask = "p 'e is', e.shape\nimport sys\np 'judge', 'autograder' in sys.modules\nq\n"
    _, output = run("softmax.py", "-x", "--pdb", given=ask)
    assert "ValueError: cannot reshape array of size 3" in output
    assert "softmax.py(4)softmax()" in output and "-> return np.reshape(e, 99)" in output
    assert "('e is', (3,))" in output and "('judge', False)" in output


def test_the_checks_alone_say_what_to_do(run, root: Path):
    _, output = run(str(root / "reference" / "checks" / "test_softmax.py"))
    assert "Name the student's file, not the checks" in output


EDITOR = """
import json, pathlib

def pytest_sessionfinish(session):
    tree = [(item.name, item.nodeid, item.location[1]) for item in session.items]
    pathlib.Path("tree.json").write_text(json.dumps(tree))
"""


def test_an_editor_lists_titles_and_runs_by_ids(run, tmp_path, root):
    """As VS Code asks: a plugin of its own that only collects, and then ids; JUnit for others."""
    (tmp_path / "vscode_pytest.py").write_text(EDITOR)
    stub = (root / "exercises" / "hand_computation.py").read_text()
    (tmp_path / "hand_computation.py").write_text(stub)
    here = ("-p", "vscode_pytest", f"--rootdir={tmp_path}")
    run(*here, "--collect-only", ".")
    tree = json.loads((tmp_path / "tree.json").read_text())
    named = {name: (test, line) for name, test, line in tree}
    assert named["One row of numbers"] == ("softmax.py::test_one_row", 0)
    assert named["test_step[Part A: the scores Q Kᵀ]"][0].endswith("::test_step[a_scores]")
    title = "Part A: the scores Q Kᵀ"
    chosen = f"{tmp_path}/{named[f'test_step[{title}]'][0]}"
    code, output = run(*here, chosen, "--junitxml=found.xml")
    assert (code, "1 failed" in output) == (1, True)
    assert "0 of 13 points" in output and "Not run: it was not selected." in output
    (case,) = ElementTree.parse(tmp_path / "found.xml").iter("testcase")
    assert case.find("properties/property[@name='title']").get("value") == title
    assert case.find("failure").get("message").startswith(title)
    assert "reference" not in (tmp_path / "found.xml").read_text()


def test_files_of_two_courses_are_refused_with_a_sentence(run, root):
    text = root / "examples" / "courses" / "text" / "exercises" / "word_counts.py"
    code, output = run("softmax.py", str(text))
    assert code == 4
    assert "Check one course at a time." in output
    assert "Traceback" not in output


IN_A_CLASS = """
import pytest
from autograder.author import expect_equal

class TestDouble:
    @pytest.mark.check("A small number is doubled", points=1)
    def test_small(self, submission):
        expect_equal(submission.double(1), 2)

    @pytest.mark.check("A large number is doubled", points=2)
    def test_large(self, submission):
        expect_equal(submission.double(100), 200)
"""


@pytest.mark.thorough
def test_checks_in_a_class_are_run_and_selected(run, tmp_path):
    course = write_course(
        tmp_path / "course",
        {"double": 3},
        checks={"double": IN_A_CLASS},
        solutions={"double": "def double(x): return 2 * x"},
        stubs={"double": "def double(x): return x + min(x, 50)"},
    )
    file = str(course.handed_out / "double.py")
    code, output = run(file, course=course.root)
    assert (code, "1 failed, 1 passed" in output, "1 of 3 points" in output) == (1, True, True)
    code, output = run(f"{file}::TestDouble::test_small", course=course.root)
    assert (code, "1 passed" in output, "not selected" in output) == (0, True, True), output
