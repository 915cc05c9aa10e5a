"""Nothing that the hint policy holds back is in any face of a report, wherever it was put."""

import ast
import functools
import itertools
import types
import typing
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autograder.report.html import exercise_html, notebook_outputs
from autograder.report.model import (
    Cause,
    CheckOutcome,
    CheckReport,
    Diagnosis,
    Evidence,
    ExerciseReport,
    Grader,
    Line,
    Report,
    Statement,
    Status,
)
from autograder.report.picture import save_picture
from autograder.report.presentation import sentence
from autograder.report.redaction import FOR_A_PERSON, exercise_for_student, for_student
from autograder.report.terminal import exercise_lines, plain

ROOT = Path(__file__).resolve().parents[2]
SECRET = "hunter2"
NUMBER = 27182.5
OUTCOMES = typing.get_args(CheckOutcome)
STATUSES = typing.get_args(Status)
POLICIES = ("practice", "homework", "exam")
# What the course writes, and no submission: all other fields of a hidden check are planted.
THE_COURSES = {
    (CheckReport, "title"): "Other sizes",
    (CheckReport, "points"): 0.0,
    (CheckReport, "max_points"): 1.0,
    (CheckReport, "hints"): ("First.",),
    (Diagnosis, "told"): "The scores are not scaled.",
    (Diagnosis, "misconceptions"): ("no-scaling",),
    (Diagnosis, "function"): "attention",
    (Cause, "because"): Cause(code="raised", message=f"x[{SECRET}]"),
}


def planted(kind, draw):
    """A value of that type in which every text and number is a secret."""
    origin, args = typing.get_origin(kind), typing.get_args(kind)
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        hints = typing.get_type_hints(kind)
        fields = [field.name for field in msgspec.structs.fields(kind)]
        values = {
            name: THE_COURSES[kind, name]
            if (kind, name) in THE_COURSES
            else planted(hints[name], draw)
            for name in fields
        }
        return kind(**values)
    if origin is typing.Literal:
        return draw(st.sampled_from(args))
    if origin in (typing.Union, types.UnionType):
        return planted(next(arg for arg in args if arg is not type(None)), draw)
    if origin is tuple:
        return tuple(planted(arg, draw) for arg in args if arg is not Ellipsis)
    if origin is dict:
        return {planted(args[0], draw): planted(args[1], draw)}
    return {str: f"x[{SECRET}]", float: NUMBER, int: 0, bool: True}[kind]


@st.composite
def hidden_checks(draw):
    made = planted(CheckReport, draw)
    outcome = draw(st.sampled_from(OUTCOMES))
    return msgspec.structs.replace(made, hidden=True, outcome=outcome)


def visible(outcome="failed", **changes):
    fields = {"name": "test_a", "title": "Rows", "points": 0.0, "max_points": 1.0}
    return CheckReport(**{**fields, "outcome": outcome, "finding": "It differs.", **changes})


def exercise_of(*checks, status="graded", **changes):
    fields = {"name": "softmax", "title": "Softmax", "points": 0.0, "max_points": 2.0}
    return ExerciseReport(**{**fields, "status": status, "checks": checks, **changes})


def faces(exercise, policy, hints_shown=99):
    """Everything that a student is shown: JSON, terminal, spoken, page, notebook."""
    shown = exercise_for_student(exercise, policy, hints_shown)
    grader = Grader(version="1", python="3", numpy="2", digest="d", seed=0, confinement="none")
    report = Report(
        student="s",
        course="c",
        status=exercise.status,
        points=0.0,
        max_points=2.0,
        grader=grader,
        exercises=(exercise,),
    )
    return "\n".join(
        [
            msgspec.json.encode(for_student(report, policy, hints_shown)).decode(),
            *(plain(line) for line in exercise_lines(shown, details=99)),
            exercise_html(shown),
            *(plain(line) for line in exercise_lines(shown, details=99, spoken=True)),
            *notebook_outputs(shown),
        ]
    )


@settings(deadline=None, max_examples=60)
@given(
    hidden=st.lists(hidden_checks(), min_size=1, max_size=3),
    policy=st.sampled_from(POLICIES),
    status=st.sampled_from(STATUSES),
    others=st.lists(st.sampled_from(OUTCOMES), max_size=2),
    reason=st.sampled_from(["", "x[hunter2]"]),
)
def test_nothing_that_a_hidden_check_holds_is_in_any_face(hidden, policy, status, others, reason):
    checks = [visible(outcome) for outcome in others]
    cause = Cause(code="raised", message=reason) if reason else None
    exercise = exercise_of(*checks, *hidden, status=status, reason=reason, cause=cause)
    shown = faces(exercise, policy)
    assert SECRET not in shown
    assert f"{NUMBER:g}" not in shown and str(NUMBER) not in shown


@settings(deadline=None, max_examples=60)
@given(
    checks=st.lists(hidden_checks(), min_size=0, max_size=2),
    status=st.sampled_from(STATUSES),
    hidden=st.booleans(),
)
def test_in_an_exam_there_is_no_exception(checks, status, hidden):
    """Visible checks too: points and outcomes, whatever status a submission has forced."""
    checks = [
        msgspec.structs.replace(check, hidden=hidden, name=f"test_{n}")
        for n, check in enumerate(checks)
    ]
    cause = Cause(code="raised", message=SECRET)
    planted_in = exercise_of(
        *checks,
        status=status,
        reason=SECRET,
        cause=cause,
        notes=(SECRET,),
        note_causes=(cause,),
        printed=SECRET,
    )
    shown = faces(planted_in, "exam")
    assert SECRET not in shown
    assert "First." not in shown and "not scaled" not in shown
    assert ("Other sizes" in shown) == bool(checks and not hidden)


@pytest.mark.parametrize("status", STATUSES)
def test_a_reason_that_no_run_has_made_is_said_in_an_exam_too(status):
    ours = exercise_of(status=status, reason="softmax.py is no text.", reason_is_ours=True)
    theirs = exercise_of(status=status, reason="softmax.py is no text.")
    assert exercise_for_student(ours, "exam").reason == "softmax.py is no text."
    assert exercise_for_student(theirs, "exam").reason == FOR_A_PERSON
    assert exercise_for_student(theirs, "practice").reason == "softmax.py is no text."


@pytest.mark.parametrize("status", ["crashed", "timed out"])
def test_what_became_of_a_hidden_check_is_not_the_status_in_an_exam(status):
    hidden = visible(status, name="test_b", hidden=True)
    assert exercise_for_student(exercise_of(visible(), hidden, status=status), "exam").status == (
        "graded"
    )
    both = exercise_of(visible(status), hidden, status=status)
    assert exercise_for_student(both, "exam").status == status
    assert exercise_for_student(both, "practice").status == status


def test_a_hidden_check_says_which_mistake_it_is_in_the_courses_words():
    told = Diagnosis(
        kind="named", finding="weights now hold 3.", misconceptions=("m",), told="It is changed."
    )
    silent = msgspec.structs.replace(told, told="")
    located = msgspec.structs.replace(told, kind="located")
    for policy in ("practice", "homework"):
        shown = [
            exercise_for_student(
                exercise_of(visible(hidden=True, diagnosis=each, hints=("First.", "Second."))),
                policy,
            ).checks[0]
            for each in (told, silent, located)
        ]
        assert [each.diagnosis and each.diagnosis.finding for each in shown] == [
            "It is changed.",
            None,
            None,
        ]
        assert [each.hints for each in shown] == [("First.",), (), ()]
        assert all(each.finding == "" for each in shown)


def test_a_hidden_checks_diagnosis_has_no_statements_and_places():
    """They hold values and lines of the submission, also where the mistake has a name."""
    named = Diagnosis(
        kind="named",
        finding="The scores are not scaled.",
        told="The scores are not scaled.",
        misconceptions=("no-scaling",),
        calls="calls with a mask",
        places=(Line(file="softmax.py", line=3, text=SECRET),),
        statements=(Statement(code="value", values={"yours": SECRET}),),
    )
    for hidden in (True, False):
        check = visible(hidden=hidden, diagnosis=named)
        shown = exercise_for_student(exercise_of(check), "practice").checks[0].diagnosis
        assert shown.misconceptions == ("no-scaling",)
        kept = (shown.statements, shown.places, shown.calls)
        assert kept == (((), (), "") if hidden else (named.statements, named.places, named.calls))


@pytest.mark.parametrize(
    "cause, shown",
    [
        (Cause(code="needs_first", names=("Rows",)), "Not run: “Rows” must pass first."),
        (Cause(code="not_selected"), "Not run: it was not selected."),
        (Cause(code="skipped", message=SECRET), "Not run."),
        (None, "Not run."),  # a record of an older version
    ],
)
def test_why_a_hidden_check_was_not_run(cause, shown):
    is_ours = cause is not None and cause.code != "skipped"
    said = sentence(cause) if is_ours else SECRET
    hidden = visible("not run", name="test_b", hidden=True, finding=said, cause=cause)
    found = exercise_for_student(exercise_of(visible(), hidden), "homework").checks[1]
    assert (found.finding, found.cause) == (shown, cause if is_ours else None)


def test_hidden_checks_of_several_parameters_are_numbered():
    """Their ids are made of the inputs."""
    checks = [visible(name=f"test_b[{x}]", hidden=True) for x in (SECRET, "3.25-4")]
    shown = exercise_for_student(exercise_of(*checks), "practice").checks
    assert [check.name for check in shown] == ["test_b[1]", "test_b[2]"]


def test_hints_still_follow_the_level_of_each_check():
    checks = [visible(name=f"test_{n}", hints=("1", "2", "3")) for n in range(3)]
    shown = exercise_for_student(exercise_of(*checks), "homework", {"test_0": 2, "test_1": 0})
    assert [len(check.hints) for check in shown.checks] == [2, 0, 1]


@pytest.mark.parametrize("policy", POLICIES)
def test_a_picture_shows_no_hidden_check(policy, tmp_path):
    check = visible(hidden=True, evidence=Evidence(call=SECRET), place=Line(file="f", line=1))
    shown = exercise_for_student(exercise_of(check), policy)
    assert SECRET not in save_picture(shown, tmp_path / "p.png")
    assert not (tmp_path / "p.png").exists()


@functools.cache
def all_calls():
    """Every call of a plain name in the engine and the reference: its file and its node."""
    folders = ("autograder", "reference")
    return [
        (path, node)
        for path in itertools.chain.from_iterable((ROOT / each).rglob("*.py") for each in folders)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    ]


def calls_of(name):
    return [(path, node) for path, node in all_calls() if node.func.id == name]


def test_what_hidden_checks_say_is_written_in_the_course():
    """`told` is a text as it stands there, never one into which a value was put."""
    told = [
        (path, keyword.value)
        for path, call in calls_of("Mismatch")
        for keyword in call.keywords
        if keyword.arg == "told"
    ]
    assert len(told) > 5
    for path, value in told:
        assert isinstance(value, ast.Constant), f"{path}:{value.lineno}"


def test_one_place_decides_what_is_shown():
    """Whoever makes a student's face takes its report from `redaction`."""
    makers = (
        "exercise_lines",
        "exercise_html",
        "notebook_outputs",
        "save_picture",
    )
    for maker in makers:
        for path, call in calls_of(maker):
            if path.parent.name != "report":
                text = path.read_text(encoding="utf-8")
                takes = "report.redaction import" in text or "student.step import" in text
                assert takes, f"{path}:{call.lineno}"
