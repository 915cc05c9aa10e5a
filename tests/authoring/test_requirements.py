"""Each check names the requirement of the task's text that it grades, and each one has a check."""

import pickle
from pathlib import Path

import msgspec
import pytest

from autograder.authoring.build import stub_text
from autograder.authoring.lint import refuse_authoring_errors
from autograder.authoring.remarks import requirement_remarks
from autograder.course.authoring_errors import AuthoringError, InvalidCourse
from autograder.course.course_file import load_course
from autograder.grading.check_collection import checks_of
from autograder.report.html import code_spans, exercise_html
from autograder.report.presentation import required
from autograder.report.terminal import exercise_lines, plain
from autograder.submission.stubs import requirements_in
from tests.authoring.course import CHECKS, SOLUTION, make
from tests.conftest import ROOT

TEXT = """\
# %% [markdown]
# - The **area** of a rectangle is its width times its height.
#
# What is graded:
#
# - **Values.** The area of each rectangle,
#   also of a thin one.
# - **Large numbers:** up to `10**6`.
#   - for the width
# - **No side effects.** Nothing changes.
"""


def test_the_requirements_of_a_text():
    assert requirements_in(TEXT) == [
        ("values", 6, "The area of each rectangle, also of a thin one."),
        ("large numbers", 8, "up to `10**6`."),
        ("no side effects", 10, "Nothing changes."),
    ]


@pytest.mark.parametrize("folder", ["", "examples/courses/text"])
def test_no_check_lacks_its_requirement_and_no_requirement_its_check(folder):
    course = load_course(ROOT / folder / "course.yml")
    remarks = []
    for name, checks in checks_of(course, course.exercises).items():
        stated = requirements_in(course.solution_file(name).read_text(encoding="utf-8"))
        remarks += [f"{name}: {each}" for each in requirement_remarks(stated, checks)]
        assert not any(each.sentence.endswith("…") for each in stated), name
        if folder:
            continue  # of which no kit is made
        shown = {grade for check in checks if not check.hidden for grade in check.grades}
        hidden = {grade for check in checks if check.hidden for grade in check.grades}
        assert hidden <= shown | {"sizes"}, name  # else it is done in a kit; sizes vary anyway
    assert remarks == []


def test_verify_lists_checks_and_requirements_without_the_other(course):
    check, *_ = checks_of(course, ["softmax"])["softmax"]
    bare = msgspec.structs.replace(check, function="test_bare", grades=())
    stated = requirements_in(f"{TEXT}# - **Values.** Of squares.\n")
    assert list(requirement_remarks(stated, [check, bare])) == [
        "warning: test_bare names no requirement of the text; add grades=[…] to its mark",
        "warning: no check grades the requirement `large numbers` of line 8",
        "warning: no check grades the requirement `no side effects` of line 10",
        "warning: line 11 states the requirement `values` a second time",
    ]


def test_a_requirement_that_the_text_does_not_state_is_refused(tmp_path):
    checks = CHECKS.replace("points=2", 'points=2, grades=["valeus"]')
    folder = make(tmp_path, checks=checks, solution=TEXT + SOLUTION)
    course = load_course(folder / "course.yml")
    with pytest.raises(InvalidCourse, match="line 6: `test_area` grades `valeus`.*mean `values`"):
        refuse_authoring_errors(course, course.content.exercises)


def test_a_report_says_where_the_students_file_requires_what_is_wrong(grade_text, course):
    stub = stub_text(course, course.exercises["softmax"])
    assert not any(check.required for check in grade_text("softmax", stub).checks)
    begun = stub.replace("raise NotImplementedError()", "return np.exp(x) / np.exp(x).sum()")
    report = grade_text("softmax", begun)
    passed, rows, *_, hidden = report.checks
    line = stub[: stub.index("# - **Values.**")].count("\n") + 1
    assert passed.required == ()
    (place,) = rows.required
    assert (place.file, place.line) == ("softmax.py", line)
    assert required(rows) == f"The text asks for this in line {line}: {place.text}"
    assert "along any single `axis`" in required(hidden)
    lines = [plain(each).strip() for each in exercise_lines(report)]
    assert lines.count(required(rows)) == 1
    assert code_spans(required(rows)) in exercise_html(report)


@pytest.mark.parametrize(
    ("broken", "name"),
    [
        (
            "blocked = np.broadcast_to(mask == 0, scores.shape)\n"
            "    scores[blocked] = -np.inf\n    return scores",
            "no side effects",
        ),
        ("return np.where(mask, scores, -100)", "large scores"),
    ],
)
def test_of_a_check_that_grades_several_only_the_one_not_met_is_named(grade_text, broken, name):
    solution = (ROOT / "solutions/causal_mask.py").read_text(encoding="utf-8")
    head, _, tail = solution.partition("    return np.where(mask, scores, -np.inf)")
    assert tail
    check = grade_text("causal_mask", f"{head}    {broken}{tail}").checks[-1]
    stated = next(each for each in requirements_in(solution) if each.name == name)
    assert required(check) == f"The text asks for this in line {stated.line}: {stated.sentence}"


def test_a_check_can_grade_only_what_its_mark_names(pytester):
    pytester.makeconftest(
        "from autograder.checks.fixtures import Fixtures\n"
        "def pytest_configure(config): config.pluginmanager.register(Fixtures(None))\n"
    )
    pytester.makepyfile(
        "import pytest\n"
        "@pytest.mark.check('A', grades=['sizes'])\n"
        "def test_a(grading):\n"
        "    grading('sizes')\n"
        "    grading('size')\n"
    )
    done = pytester.runpytest_inprocess("-p", "no:cacheprovider")
    done.stdout.fnmatch_lines(["*ValueError: test_a does not grade 'size': add it to `grades`"])


def test_an_error_of_the_course_says_the_same_in_another_process():
    errors = InvalidCourse([AuthoringError(Path("test_a.py"), 6, "It is wrong.")] * 2)
    assert str(pickle.loads(pickle.dumps(errors))) == str(errors)
