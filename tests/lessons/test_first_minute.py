"""A lesson's script runs from the first minute, and what it prints is worth seeing."""

import ast
import contextlib
import io
import runpy
import warnings

import pytest

from autograder.course.course_file import load_course
from tests.conftest import ROOT

COURSE = load_course(ROOT / "course.yml")
CODE = [name for name in COURSE.exercises if name != "reflection"]
SLOW = {name for name in CODE if COURSE.exercise(name).needs == "torch"}
EACH = [pytest.param(n, marks=[pytest.mark.thorough] if n in SLOW else []) for n in CODE]


@pytest.fixture(autouse=True)
def no_windows(monkeypatch):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    monkeypatch.setattr(plt, "show", lambda: None)
    yield
    plt.close("all")


def printed(path):
    said = io.StringIO()
    with contextlib.redirect_stdout(said), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        runpy.run_path(str(path), run_name="__main__")
    return said.getvalue()


@pytest.mark.parametrize("name", EACH)
def test_an_untouched_stub_runs_and_shows_something(name):
    said = printed(ROOT / "exercises" / f"{name}.py")
    assert "yet" in said or "0 of 4 steps" in said
    assert len(said.split()) > 8


@pytest.mark.parametrize("name", EACH)
def test_a_solved_one_shows_the_rest(name):
    said = printed(ROOT / "solutions" / f"{name}.py")
    assert "yet" not in said


def test_a_half_done_one_shows_what_there_is(tmp_path):
    """Of the mask's four functions, the first alone."""
    solved = "return np.tril(np.ones((seq_len, seq_len), dtype=bool))"
    stub = (ROOT / "exercises" / "causal_mask.py").read_text()
    half = stub.replace("# YOUR CODE HERE\n    raise NotImplementedError()", solved, 1)
    assert half != stub
    (tmp_path / "causal_mask.py").write_text(half)
    said = printed(tmp_path / "causal_mask.py")
    assert "■ ■ ■ ■" in said
    assert "not written yet" in said


@pytest.mark.parametrize("name", CODE)
def test_no_docstring_is_cut_in_a_notebook(name):
    """JupyterLab, with its files shown: 82 columns at 1100 pixels, 108 at 1280."""
    text = (ROOT / f"exercises/{name}.py").read_text(encoding="utf-8")
    lines, tree = text.split("\n"), ast.parse(text)
    wide = []
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node):
            said = node.body[0]
            wide += [each for each in lines[said.lineno - 1 : said.end_lineno] if len(each) > 82]
    assert wide == []
