"""The verifier finds what is wrong with a course, and mutants are made of the solution alone."""

import shutil
import sys

import pytest

from autograder.authoring.mutants import mutants
from autograder.authoring.remarks import scale_remarks
from autograder.authoring.verify import Verifier
from autograder.cli.verify import markdown
from autograder.course.course_file import Exercise, load_course
from tests.conftest import ROOT

SOLUTION = '''
def f(x):
    """Never changed: 1 + 1."""
    ### BEGIN SOLUTION
    return x + 1
    ### END SOLUTION


LEFT_ALONE = 1 + 2
'''
NOTHING = "\n    return"


def test_mutants_are_of_the_solution_alone_and_each_once():
    made = list(mutants(SOLUTION))
    lines = [mutant.line for mutant in made]
    assert "return x - 1" in lines and "return x + 2" in lines
    assert all("LEFT_ALONE = 1 + 2" in mutant.text for mutant in made)
    assert len({mutant.text for mutant in made}) == len(made)


@pytest.fixture
def copy(tmp_path):
    """The course with one exercise, to be broken."""
    root = tmp_path / "course"
    keep = ("exercises", "solutions", "reference", "examples/right")
    for folder in keep:
        shutil.copytree(ROOT / folder, root / folder)
    (root / "reference/checks").rename(root / "checks")
    text = "checks: checks\n" + (ROOT / "course.yml").read_text()
    head, tail = text.split("exercises:\n", maxsplit=1)
    block = tail[tail.index("  - name: multi_head_reshape") : tail.index("assignments:")]
    (root / "course.yml").write_text(f"{head}exercises:\n{block}")
    yield root
    for name in [name for name in sys.modules if name.split(".")[0] == "checks"]:
        del sys.modules[name]  # the next copy has checks of its own


def verified(root):
    course = load_course(root / "course.yml")
    verifier = Verifier(course, course.exercise("multi_head_reshape"))
    return verifier.run(["right answers", "stub", "misconceptions"])


@pytest.mark.thorough
def test_a_course_that_holds_has_no_faults(copy):
    result = verified(copy)
    assert result.faults == []
    assert result.named == result.misconceptions > 12
    assert "| multi_head_reshape |" in markdown([result])


def test_a_check_that_lets_a_mistake_through_is_a_fault(copy):
    path = copy / "checks" / "test_multi_head_reshape.py"
    text = path.read_text()
    head, _, body = text.partition("def test_split_error")
    path.write_text(f"{head}def test_split_error{body.replace(':', ':' + NOTHING, 1)}")
    faults = " ".join(verified(copy).faults)
    assert "split_heads, rest-left-out: gets full points" in faults


@pytest.mark.thorough
def test_a_right_answer_that_loses_marks_and_a_stub_that_is_solved_are_faults(copy):
    wrong = copy / "examples" / "right" / "multi_head_reshape" / "wrong.py"
    wrong.write_text("def split_heads(x, num_heads):\n    return x\n")
    solution = (copy / "solutions" / "multi_head_reshape.py").read_text()
    (copy / "exercises" / "multi_head_reshape.py").write_text(solution)
    faults = " ".join(verified(copy).faults)
    assert "right answer wrong: split_heads" in faults
    assert "the stub gets 12" in faults


def test_a_right_answer_that_cannot_be_read_is_one_fault(copy):
    path = copy / "examples/right/multi_head_reshape/latin.py"
    path.write_bytes("def split_heads(x, köpfe): pass\n".encode("latin-1"))
    course = load_course(copy / "course.yml")
    verifier = Verifier(course, course.exercise("multi_head_reshape"), share=50)
    faults = verifier.run(["right answers", "seeds"]).faults
    assert len(faults) == 1
    assert faults[0].startswith("right answer latin: latin.py") and str(path) in faults[0]


@pytest.mark.parametrize(
    ("points", "weights", "said"),
    [
        (12, [7, 4, 3], "the points of the checks sum to 14, but course.yml gives 12; so a check"),
        (10, [1, 1, 1], "so a check of weight 1 gives 3.33"),
        (12, [6, 4, 2], ""),
        (8, [2.0, 1.0, 1.0], ""),  # weights that share the points out
        (12, [0.5, 0.5], ""),
    ],
)
def test_points_that_are_scaled_to_parts_are_a_warning(points, weights, said):
    exercise = Exercise(name="one", title="One", points=points)
    remarks = list(scale_remarks(exercise, weights))
    assert [said in remark for remark in remarks] == ([True] if said else [])
