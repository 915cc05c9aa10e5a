"""Messages for the author of an exercise: large inputs, points lost twice, names of modules."""

import pytest

from autograder.authoring.lint import refuse_authoring_errors
from autograder.authoring.verify import Verified, Verifier
from autograder.cli.verify import markdown
from autograder.course.authoring_errors import InvalidCourse
from autograder.course.course_file import load_course
from tests.authoring.course import CHECKS, MISTAKES, REFERENCE, SOLUTION, make

LARGE = """

@pytest.mark.check("Many rectangles"{needs})
def test_many(submission, reference):
    many = np.ones(20_000)
    expect_close(submission.area(many, 3), reference.area(many, 3))
"""
SQUARE = "s.product / 2 + 0 * np.zeros((np.size(s.width), np.size(s.width))).sum()"
TWICE = """

def two(width, height):
    ### BEGIN SOLUTION
    return 2 * {area}
    ### END SOLUTION
"""
CHECK_OF_TWO = """

@pytest.mark.check("Two rectangles")
def test_two(submission, reference):
    expect_close(submission.two(2, 5), 2 * reference.area(2, 5))
"""


def verified(folder, say=lambda _: None):
    course = load_course(folder / "course.yml")
    verifier = Verifier(course, course.exercise("areas"), say=say)
    return verifier.run(["right answers", "misconceptions"])


def with_large_inputs(folder, needs=""):
    checks = CHECKS.replace("import pytest", "import numpy as np\nimport pytest")
    mistakes = MISTAKES.replace("s.product / 2", SQUARE).replace(
        "\nHINTS", "\nimport numpy as np\nHINTS"
    )
    return make(folder, checks=checks + LARGE.format(needs=needs), mistakes=mistakes)


def test_a_replay_on_large_inputs_is_stopped_with_its_check_and_its_sizes(tmp_path):
    said = []
    faults = verified(with_large_inputs(tmp_path), said.append).faults
    (fault,) = [each for each in faults if "test_many calls" in each]
    for part in ("`area`", "(20000,)", "1024 MB of memory", "halved", "`needs=`"):
        assert part in fault
    assert "The grader itself failed" not in fault
    assert said == ["areas: right answers …", "areas: misconceptions …"]


def test_a_check_that_needs_a_smaller_one_replays_nothing_large(tmp_path):
    folder = with_large_inputs(tmp_path, needs=', needs=["test_area"]')
    assert [each for each in verified(folder).faults if "has no hints" not in each] == []


@pytest.mark.parametrize("area", ["area(width, height)", "width * height"])
def test_a_mistake_that_costs_points_in_checks_of_other_functions_is_a_warning(tmp_path, area):
    solution = SOLUTION + TWICE.format(area=area)
    reference = REFERENCE + "\n\ndef two(width, height):\n    return 2 * width * height\n"
    folder = make(tmp_path, solution=solution, reference=reference, checks=CHECKS + CHECK_OF_TWO)
    again = [each for each in verified(folder).remarks if "more than once" in each]
    said = "costs points more than once: test_two (no follow-through)"
    assert again == ([f"warning: area, added, halved: {said}"] if "area" in area else [])


FOLLOWS = """

@pytest.mark.check("Two rectangles")
def test_two(submission, reference, note):
    sides = np.array([[2.0, 5.0], [3.0, {last}]])
    answer, right = submission.two(*sides.T), 2 * reference.area(*sides.T)
    own = lambda steps: {factor} * steps.ask(lambda own, x: own.area(*x.T), sides)
    expect_follows(answer, right, own, "the areas", note, "area", submission)
"""
IMPORTS = "import numpy as np\nimport pytest\nfrom autograder.author import expect_follows"


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("factor", "last", "why"),
    [
        ("2", "7.0", ""),
        ("3", "7.0", "(the answer differs from the value that follows)"),
        ("2", "4.0", "added: costs points more than once: test_two (all rows that follow are"),
    ],
)
def test_the_author_reads_why_an_answer_does_not_follow(tmp_path, factor, last, why):
    checks = CHECKS.replace("import pytest", IMPORTS) + FOLLOWS.format(factor=factor, last=last)
    solution = SOLUTION + TWICE.format(area="area(width, height)")
    again = [
        each
        for each in verified(make(tmp_path, solution=solution, checks=checks)).remarks
        if "more than once" in each
    ]
    assert [each for each in again if why not in each] == []
    assert len(again) == bool(why), again


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("first", "line", "says"),
    [
        ("from {0} import shapes as course\n", 1, "write `from {0}.shapes import …`"),
        (
            "from {0}.shapes import area as drawn\ndef sizes(rng):\n    return drawn(rng)\n",
            3,
            "cannot record the results of `drawn`, whose argument is `rng`; list the module `shapes`",
        ),
        (
            "from {0}.shapes import area\ndef sizes(submission):\n    return area(of=submission)\n",
            3,
            "cannot record the results of `area`, whose argument is `submission`; list the module",
        ),
    ],
)
def test_what_a_kit_cannot_record_is_refused_at_once(tmp_path, first, line, says):
    folder = make(tmp_path)
    package = next(each for each in tmp_path.iterdir() if each.name.startswith("rectangles"))
    (package / "shapes.py").write_text(REFERENCE)
    (path := package / "checks" / "test_areas.py").write_text(first.format(package.name) + CHECKS)
    course = load_course(folder / "course.yml")
    with pytest.raises(InvalidCourse) as caught:
        refuse_authoring_errors(course, course.content.exercises)
    (error,) = caught.value.errors
    assert (error.path, error.line) == (path, line)
    assert says.format(package.name) in error.says
    (folder / "course.yml").write_text(f"helpers: [shapes]\n{(folder / 'course.yml').read_text()}")
    course = load_course(folder / "course.yml")
    refuse_authoring_errors(course, course.content.exercises)  # students get this module


def test_a_few_pairs_with_a_name_are_a_warning(monkeypatch, tmp_path):
    warning = "warning: only 0 of 1 pairs of mistakes get a name"
    assert warning in verified(make(tmp_path)).remarks
    monkeypatch.setattr("autograder.authoring.verify.PAIRS_NAMED", 0.0)
    assert warning not in verified(make(tmp_path / "other")).remarks


def test_a_table_keeps_the_rows_of_other_exercises():
    before = markdown([Verified("a", checks=1), Verified("b", checks=2, faults=["wrong"])])
    after = markdown([Verified("b", checks=3), Verified("c", checks=4)], before)
    rows = [line.split(" | ")[:2] for line in after.splitlines()[2:]]
    assert rows == [["| a", "1"], ["| b", "3"], ["| c", "4"]]
    assert before.splitlines()[:2] == after.splitlines()[:2]
    assert "- b: wrong" in markdown([Verified("a")], before)
