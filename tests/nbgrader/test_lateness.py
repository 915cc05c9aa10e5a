"""Lateness in nbgrader: `late:` of course.yml counts, and no grader that cannot run gives a 0."""

from types import SimpleNamespace

import pytest
from nbgrader.api import MissingEntry
from nbgrader.plugins import LateSubmissionPlugin
from traitlets.config import Config

from autograder.nbgrader.directory import TEXT, missing_lines
from autograder.nbgrader.steps import CourseLatePolicy, LatePenalties
from tests.courses import write_course
from tests.nbgrader.commands import forked
from tests.nbgrader.course import ASSIGNMENT, ShortCourse, solution

DAY = 24 * 3600
ASSIGNMENTS = [
    {"name": "first", "title": "First", "exercises": ["one"], "due": "2027-02-05T23:59"},
    {"name": "second", "title": "Second", "exercises": ["two"], "due": "2027-02-12T23:59"},
    {"name": "third", "title": "Third", "exercises": ["three"], "late": {"until_days": 0}},
]


@pytest.fixture
def penalty(tmp_path):
    """The penalty for 10 points so late, where `earlier` is how late the first assignment was."""

    def penalty(assignment, seconds, earlier=None, **late):
        course = write_course(
            tmp_path,
            {"one": 10, "two": 10, "three": 10},
            assignments=ASSIGNMENTS,
            **({"late": late} if late else {}),
        )

        def find_submission(name, student):
            if earlier is None or name != "first":
                raise MissingEntry
            return SimpleNamespace(total_seconds_late=earlier)

        step = LatePenalties(config=Config({"ConfinedExecute": {"course": str(course.root)}}))
        step.assignment_id = assignment
        step.gradebook = SimpleNamespace(find_submission=find_submission)
        step.init_plugin()
        assert isinstance(step.plugin_inst, CourseLatePolicy)
        return step.plugin_inst.late_submission_penalty("ann", 10.0, seconds)

    return penalty


def test_lateness_costs_what_the_course_says(penalty):
    assert penalty("first", DAY) is None
    assert penalty("first", 1, percent_a_day=10) == 1
    assert penalty("first", DAY + 1, percent_a_day=10) == 2
    assert penalty("first", 600, percent_a_day=10, grace_minutes=10) == 0
    assert penalty("third", 1, percent_a_day=10) == 10
    assert penalty("elsewhere", DAY, percent_a_day=10) is None


def test_free_days_are_those_of_the_whole_course(penalty):
    assert penalty("second", 2 * DAY, percent_a_day=10, free_days=2) == 0
    assert penalty("second", 2 * DAY, DAY, percent_a_day=10, free_days=2) == 1
    assert penalty("second", 2 * DAY, 9 * DAY, percent_a_day=10, free_days=2) == 2


def test_a_method_of_nbgrader_s_own_stays():
    step = LatePenalties(config=Config({"LateSubmissionPlugin": {"penalty_method": "zero"}}))
    step.init_plugin()
    assert isinstance(step.plugin_inst, LateSubmissionPlugin)


def test_an_older_configuration_is_told_what_it_lacks(tmp_path):
    course = write_course(tmp_path / "kit", {"one": 10})
    config = tmp_path / "nbgrader_config.py"
    whole = TEXT.format(course_id="kit", root=str(tmp_path), course=str(course.root))
    config.write_text(whole)
    assert missing_lines(course, tmp_path) == []
    config.write_text(with_a_kernel(whole).replace("AssignLatePenalties", "Other"))
    assert missing_lines(course, tmp_path) == [
        'c.AssignLatePenalties.plugin_class = "autograder.nbgrader.steps.CourseLatePolicy"',
        f"c.ConfinedExecute.course = {str(course.root)!r}",
        "c.Autograde.autograde_preprocessors = GRADE",
    ]


@pytest.fixture(scope="module")
def late(tmp_path_factory):
    """Submissions a day late, in a directory as `init` makes it: ann's, and eve's of no Python."""
    short = ShortCourse(tmp_path_factory.mktemp("late"), forked)
    file = short.kit / "course.yml"
    file.write_text(file.read_text() + "late: {percent_a_day: 20}\n")
    short.init()
    short.nbgrader("generate_assignment", ASSIGNMENT)
    broken = solution("softmax").replace("### BEGIN SOLUTION", "### BEGIN SOLUTION\n    ((", 1)
    for name, text in (("ann", solution("softmax")), ("eve", broken)):
        folder = short.hand_in(name, softmax=text, hand_computation=solution("hand_computation"))
        (folder / "timestamp.txt").write_text("2027-02-06 20:00:00 UTC")
    return short


def with_a_kernel(config):
    return config[: config.index("# Submissions run confined")]


def without_course(short):
    """An environment that names no course."""
    env = short.env()
    del env["AUTOGRADER_COURSE"]
    return env


@pytest.mark.thorough
def test_each_way_to_grade_takes_the_same_off(late):
    """With a kernel too, which finds the course by the configuration."""
    done = late.autograder("grade", ASSIGNMENT)
    assert "late: −5" in done.stdout
    assert "softmax: not loaded (" in done.stdout
    ours = late.rows()
    (waits,) = [row for row in ours if row[:3] == ("eve", "softmax", "check-softmax")]
    assert waits[3:6] == (None, None, True)  # it did not load: no 0, but a person
    assert late.totals() == {"ann": 20.0, "eve": 10.4}
    config = late.directory / "nbgrader_config.py"
    whole = config.read_text()
    config.write_text(with_a_kernel(whole))
    try:
        done = forked(["", "nbgrader", "autograde", ASSIGNMENT, "--force"], late.directory,
                      without_course(late))  # fmt: skip
        assert done.returncode == 0, done.stderr
        rows = late.rows()
        assert [row for row in rows if row[:2] != waits[:2]] == [
            row for row in ours if row[:2] != waits[:2]
        ]
    finally:
        config.write_text(whole)


@pytest.mark.thorough
def test_a_check_that_finds_no_course_stops_the_grading(late):
    """nbgrader takes an exception for 0 points: everybody had 0, and the exit code was 0."""
    config = late.directory / "nbgrader_config.py"
    whole = config.read_text()
    lines = with_a_kernel(whole).splitlines(keepends=True)
    config.write_text("".join(line for line in lines if "environ" not in line))
    try:
        done = forked(["", "nbgrader", "autograde", ASSIGNMENT, "--force"], late.directory,
                      without_course(late))  # fmt: skip
    finally:
        config.write_text(whole)
    assert done.returncode != 0
    assert "autograder: nothing was graded. There is no course.yml" in done.stderr
