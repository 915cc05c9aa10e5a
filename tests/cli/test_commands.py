"""The commands as a person runs them: output, exit codes, errors in one line."""

import contextlib
import json
import os
import signal
import subprocess
import sys
from typing import NamedTuple

import pytest

from autograder.cli import main
from autograder.course.errors import UserError
from tests.courses import write_course

WRONG = """
import numpy as np
from tests.courses import write_course
def softmax(x, axis=-1):
    e = np.exp(x)
    return e / e.sum(axis=0)
"""


class Done(NamedTuple):
    returncode: int
    stdout: str
    stderr: str


@pytest.fixture
def run(tmp_path, root, monkeypatch, capsys):
    """A command as it is typed, in this process."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("AUTOGRADER_COURSE", str(root))
    monkeypatch.delenv("COLUMNS", raising=False)

    def run(*args):
        monkeypatch.setattr(sys, "argv", ["autograder", *map(str, args)])
        with pytest.raises(SystemExit) as end:
            main()
        return Done(end.value.code, *capsys.readouterr())

    return run


def test_full_marks_are_exit_code_0_and_no_torch_is_imported(tmp_path, root):
    """With a torch first on the path that cannot be imported, in judge and worker."""
    (tmp_path / "torch.py").write_text("raise SystemExit('torch was imported')")
    done = subprocess.run(
        [sys.executable, "-m", "autograder", "check", root / "solutions" / "softmax.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        env={**os.environ, "AUTOGRADER_COURSE": str(root), "PYTHONPATH": str(tmp_path)},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "12 of 12 points" in done.stdout


def test_a_mistake_is_shown_with_values_and_a_hint(run, tmp_path):
    (tmp_path / "softmax.py").write_text(WRONG)
    done = run("check", "softmax")
    assert done.returncode == 1
    lines = done.stdout.splitlines()
    assert lines[0].startswith(
        "softmax: There are two mistakes. 1: Your code has the effect of a softmax along"
    )
    assert lines[1] == "Softmax (softmax.py): 3 of 12 points"
    assert "›0.114‹›0.035‹         ›0.269‹›0.731‹" in done.stdout
    assert done.stdout.count("Hint: ") == 1
    assert "\x1b" not in done.stdout
    assert run("check", "softmax").stdout.count("Hint: ") == 1
    assert run("check", "softmax", "--hint").stdout.count("Hint: ") == 2
    (tmp_path / "softmax.py").write_text(WRONG + "# a new attempt\n")
    assert run("check", "softmax").stdout.count("Hint: ") == 3
    assert (tmp_path / ".autograder" / ".gitignore").read_text() == "*\n"


@pytest.mark.thorough
def test_hints_start_anew_where_nothing_can_be_kept(run, tmp_path):
    (tmp_path / "softmax.py").write_text(WRONG)
    (tmp_path / ".autograder").write_text("in the way")
    assert run("check", "softmax").stdout.count("Hint: ") == 1
    assert run("check", "softmax", "--hint").stdout.count("Hint: ") == 1


def test_json_is_the_report(run, tmp_path):
    (tmp_path / "softmax.py").write_text(WRONG)
    report = json.loads(run("check", "softmax.py", "--json").stdout)
    assert report["points"] == 3
    assert report["exercises"][0]["checks"][1]["evidence"]["yours"]["shape"] == [3, 2]
    hidden = [c for c in report["exercises"][0]["checks"] if c["hidden"]]
    assert hidden and all(c["evidence"] is None and not c["finding"] for c in hidden)


def test_plot_saves_a_picture(run, tmp_path):
    (tmp_path / "softmax.py").write_text(WRONG)
    assert "Picture: softmax-check.png" in run("check", "softmax", "--plot").stdout
    assert (tmp_path / "softmax-check.png").is_file()


def test_plot_without_matplotlib_names_the_package_and_how_to_install_it(
    run, tmp_path, monkeypatch
):
    (tmp_path / "softmax.py").write_text(WRONG)
    for name in [each for each in sys.modules if f"{each}.".startswith("matplotlib.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "matplotlib", None)  # no import finds it
    done = run("check", "softmax", "--plot")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "autograder: autograder check --plot needs matplotlib (not installed). "
        "Run: pip install matplotlib\n"
    )
    assert not (tmp_path / "softmax-check.png").exists()
    assert run("check", "softmax").returncode == 1


@pytest.mark.thorough
def test_of_two_files_the_newer_is_checked(run, tmp_path, root):
    (tmp_path / "softmax.py").write_text(WRONG)
    notebook = tmp_path / "softmax.ipynb"
    notebook.write_text((root / "examples/class/s04/softmax.ipynb").read_text())
    os.utime(tmp_path / "softmax.py", (1, 1))
    assert "(softmax.ipynb): 12 of 12" in run("check", "softmax").stdout
    os.utime(notebook, (0, 0))
    assert "(softmax.py): 3 of 12" in run("check", "softmax").stdout


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["check", "sofmax"], "no exercise 'sofmax' in this course. Did you mean softmax?"),
        (
            ["check", "exercises/softmax"],
            "There is no exercise 'exercises/softmax'. Did you mean exercises/softmax.py?",
        ),
        (["check", "nowhere/softmax.py"], "cannot be read: No such file"),
        (["check", "folder"], "No file in folder is named after an exercise"),
        (["grade", "nowhere", "--out", "o"], "nowhere does not exist"),
        (["grade", "folder", "--out", "o"], "holds no folders"),
        (
            ["grade", "folder", "--out", "o", "--assignment", "x"],
            "It has: attention-1, attention-2",
        ),
        (["grade", "broken.zip", "--out", "o"], "not a zip file"),
        (["check", "softmax", "--course", "bad"], "line 1: unknown field `titel`; did you mean"),
    ],
)
def test_errors_are_one_line_without_a_traceback(run, tmp_path, args, said):
    (tmp_path / "folder").mkdir()
    (tmp_path / "exercises").mkdir()
    (tmp_path / "exercises/softmax.py").touch()
    (tmp_path / "broken.zip").write_text("no")
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "course.yml").write_text("titel: T\nexercises: []\n")
    done = run(*args)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stderr.startswith("autograder: ")


def test_grade_a_class(run, tmp_path, root):
    (tmp_path / "class" / "s1").mkdir(parents=True)
    (tmp_path / "class" / "s2").mkdir()
    (tmp_path / "class" / "s1" / "softmax.py").write_text(WRONG)
    done = run("grade", "class", "--out", "results", "--exercise", "softmax", "--workers", 1)
    assert done.returncode == 0, done.stderr
    assert "graded 2 of 2" in done.stderr
    assert "confinement: " in done.stdout
    for name in ("grades.csv", "report.jsonl", "index.html", "feedback/s1.html"):
        assert (tmp_path / "results" / name).is_file()
    (tmp_path / "class" / "s2" / "softmax.ipynb").write_text("{")
    assert run("grade", "class", "--out", "results", "--exercise", "softmax").returncode == 1


def test_schemas_are_printed(run):
    for of in ("report", "course"):
        assert "$defs" in json.loads(run("schema", of).stdout)


def test_build_check_says_what_is_out_of_step(run, tmp_path):
    write_course(tmp_path, {"one": 1}, solutions={"one": "# %%\nx = 1\n"})
    assert run("build", "--check").returncode == 1
    assert run("build").returncode == 0
    assert run("build", "--check").returncode == 0
    (tmp_path / "solutions" / "one.py").write_text("# %%\nx = 2\n")
    done = run("build", "--check")
    assert done.returncode == 1
    assert "one.ipynb is out of date: solutions/one.py has changed" in done.stdout


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C is sent differently there")
def test_ctrl_c_keeps_what_is_graded(tmp_path, root):
    right = (root / "examples/class/s01/softmax.py").read_text()
    for number in range(6):
        (tmp_path / "class" / f"s{number:02}").mkdir(parents=True)
        slow = f"import time\ntime.sleep(0.1)\n{right}"
        (tmp_path / "class" / f"s{number:02}" / "softmax.py").write_text(slow)
    command = [sys.executable, "-m", "autograder", "grade", "class", "--out", "results"]
    command += ["--exercise", "softmax", "--workers", "1", "--own-code", "--course", str(root)]
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as run:
        for line in run.stderr:
            if line.startswith("graded 3 "):
                run.send_signal(signal.SIGINT)
                break
        said = run.stderr.read()
    assert run.returncode == 2
    assert "run the same command again to continue" in said
    assert "Traceback" not in said
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0
    assert "graded 6 of 6" in done.stderr


def test_ctrl_c_counts_where_its_exception_is_lost():
    from autograder.cli.progress import graded_with_progress

    def work(show):
        show(1, 3)
        with contextlib.suppress(KeyboardInterrupt):  # as in a finaliser, or a callback
            os.kill(os.getpid(), signal.SIGINT)
        show(2, 3)

    with pytest.raises(UserError, match="2 students are kept"):
        graded_with_progress(work, "are kept")


def test_a_warning_in_a_judge_is_not_in_the_bar(tmp_path):
    """NumPy's, for example, while a wrong answer is examined: judges write to the same terminal."""
    warning = "import threading, warnings\n"
    warning += "threading.Timer(0.2, warnings.warn, ['divide by zero']).start()\n"
    check = "import pytest\n@pytest.mark.check('A')\n"
    check = f"import time\n{check}def test_a(submission, reference):\n    time.sleep(0.5)\n"
    write_course(tmp_path, {"one": 1}, answers=warning, checks={"one": check})
    (tmp_path / "class" / "s1").mkdir(parents=True)
    (tmp_path / "class" / "s1" / "one.py").write_text("x = 1\n")
    command = [sys.executable, "-m", "autograder", "grade", "class", "--out", "out", "--own-code"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == "graded 1 of 1 student\n"


def test_doctor_names_every_level(run):
    done = run("doctor")
    assert "Submissions can import Python's own modules and: numpy 2" in done.stdout
    assert all(f"{name} " in done.stdout for name in ("scipy", "seaborn", "pandas", "einops"))
    assert done.returncode in {0, 1}
    assert all(level in done.stdout for level in ("full", "landlock", "no-open"))
    assert "each worker has 2.5 GB of memory" in " ".join(done.stdout.split())
