"""check("softmax") in a notebook that a real kernel runs."""

import nbformat
import pytest
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from nbformat.v4 import new_code_cell, new_notebook

import autograder

pytestmark = pytest.mark.one_in(2)

WRONG = "import numpy as np\ndef softmax(x, axis=-1):\n    e = np.exp(x)\n    return e / e.sum(axis=0, keepdims=True)"
RIGHT = "def softmax(x, axis=-1):\n    x = np.asarray(x, float)\n    e = np.exp(x - x.max(axis, keepdims=True))\n    return e / e.sum(axis, keepdims=True)"
CHECK = 'from autograder import check\n\ncheck("{}")'


@pytest.fixture(autouse=True)
def course_of_the_server(monkeypatch, root):
    monkeypatch.setenv("AUTOGRADER_COURSE", str(root))


def run(folder, *cells):
    """The outputs of each cell, from a kernel that works in `folder`."""
    book = new_notebook(cells=[new_code_cell(text) for text in cells])
    NotebookClient(book, timeout=120, kernel_name="python3").execute(cwd=str(folder))
    nbformat.validate(book)
    return [cell.outputs for cell in book.cells]


def test_the_report_is_shown_and_nothing_below_it(tmp_path):
    outputs = run(tmp_path, WRONG, CHECK.format("softmax"), RIGHT, CHECK.format("softmax"))
    (shown,) = outputs[1]  # the points stand in it: no bare number below
    assert shown.output_type == "display_data"
    assert "along the first axis" in shown.data["text/html"], shown.data["text/plain"]
    assert "yours" in shown.data["text/html"]
    assert "3 of 12 points" in shown.data["text/plain"]
    assert "<style>" in shown.data["text/html"]
    assert "&amp; {" not in shown.data["text/html"]
    assert "12 of 12 points" in outputs[3][-1].data["text/plain"]


def test_nbgrader_reads_the_points_off_the_cell(tmp_path, monkeypatch):
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    shown, value = run(tmp_path, WRONG, CHECK.format("softmax"))[1]
    assert shown.output_type == "display_data"
    assert (value.output_type, value.data["text/plain"]) == ("execute_result", "3.0")


def test_what_cannot_be_checked_is_said_in_one_sentence(tmp_path):
    with pytest.raises(CellExecutionError, match="no exercise 'softmx'.*Did you mean softmax"):
        run(tmp_path, CHECK.format("softmx"))


def test_outside_a_notebook_it_says_what_to_do():
    with pytest.raises(RuntimeError, match="autograder check NAME"):
        autograder.check("softmax")
