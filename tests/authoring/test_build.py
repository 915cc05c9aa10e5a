"""Students' files come from the solutions, and the committed ones are in step."""

import nbformat
import pytest

from autograder.authoring.build import build_exercise, outdated
from autograder.course.errors import UserError
from autograder.submission.stubs import strip_solutions


def test_the_committed_files_are_in_step(course):
    for exercise in course.content.exercises:
        for path, text in build_exercise(course, exercise).items():
            assert not outdated(path, text), f"{path}: run `autograder build`"


def test_a_solution_in_a_function_becomes_a_stub():
    text = "def f():\n    '''Doc.'''\n    ### BEGIN SOLUTION\n    return 1\n    ### END SOLUTION\n"
    assert strip_solutions(text, "f.py") == (
        "def f():\n    '''Doc.'''\n    # YOUR CODE HERE\n    raise NotImplementedError()\n"
    )


def test_a_solution_at_the_top_level_vanishes():
    text = "x = None\n### BEGIN SOLUTION\nx = 1\n### END SOLUTION\n"
    assert strip_solutions(text, "f.py") == "x = None\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("### BEGIN SOLUTION\nx\n", "line 1: ### BEGIN SOLUTION without"),
        ("x\n### END SOLUTION\n", "line 2: ### END SOLUTION without"),
        ("### BEGIN SOLUTION\n### BEGIN SOLUTION\n", "line 2: a second ### BEGIN SOLUTION"),
    ],
)
def test_markers_without_a_partner(text, said):
    with pytest.raises(UserError, match=said):
        strip_solutions(text, "f.py")


def test_notebooks_are_valid_and_hold_no_solution(course):
    for exercise in course.content.exercises:
        path = course.root / "exercises" / f"{exercise.name}.ipynb"
        book = nbformat.read(path, as_version=4)
        nbformat.validate(book)
        text = path.read_text()
        assert "SOLUTION" not in text
        ids = [cell["id"] for cell in book.cells]
        assert len(set(ids)) == len(ids)
        assert all(not cell.get("outputs") for cell in book.cells)


def test_building_twice_gives_the_same(course):
    exercise = course.exercise("softmax")
    assert build_exercise(course, exercise) == build_exercise(course, exercise)
