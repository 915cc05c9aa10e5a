"""nbgrader's check of its metadata holds, though equal marks are looked at once."""

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from nbgrader.nbgraderformat import SchemaTooOldError, ValidationError

from autograder.nbgrader.steps import CheckMarks

MARK = {
    "grade": True, "solution": False, "locked": True, "task": False, "points": 12,
    "grade_id": "check-softmax", "schema_version": 3,
}  # fmt: skip


def checked(step, *cells):
    return step.preprocess(new_notebook(cells=list(cells)), {})


def cell(make=new_code_cell, **changes):
    return make("1", metadata={"nbgrader": {**MARK, **changes}})


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        ((cell(points="many"),), ValidationError),
        ((cell(), cell()), ValidationError),  # one id twice
        ((cell(new_markdown_cell),), ValidationError),  # graded, and nobody can answer there
        ((cell(schema_version=2),), SchemaTooOldError),
    ],
)
def test_what_is_wrong_is_refused_after_much_that_is_right(wrong, error):
    step = CheckMarks()
    for _ in range(2):
        checked(step, cell(), new_markdown_cell("without a mark"))
        with pytest.raises(error):
            checked(step, *wrong)


def test_equal_marks_are_looked_at_once(monkeypatch):
    step = CheckMarks()
    checked(step, cell())
    monkeypatch.setattr("jsonschema.validate", None)
    checked(step, cell())
    with pytest.raises(TypeError):
        checked(step, cell(points=13))
