"""Checks that meet nothing but what was handed out say so, with a name and the hints to begin."""

import pytest

from autograder.course.course_file import load_course
from autograder.grading.judge import Judge
from autograder.report.presentation import opening
from autograder.submission.code import read_code, replaced
from autograder.submission.source import from_text, read_source
from autograder.submission.stubs import read_stubs
from autograder.worker.messages import CodePlace, Unit


@pytest.mark.parametrize(
    ("name", "first", "hints"),
    [
        ("hand_computation", "a_scores", True),
        ("reflection", "the answer to “Why the scores are divided by √d_k”", True),
        ("causal_mask", "create_causal_mask, in line ", False),
        ("self_attention", "ScaledDotProductAttention, in line ", False),  # some code is given
    ],
)
def test_stubs_are_not_begun(root, name, first, hints):
    course = load_course(root / "course.yml")
    with Judge(course, [course.exercise(name)]) as judge:
        report = judge.run(read_source(root / f"exercises/{name}.py", name)).report
    assert opening(report).text.startswith(f"Begin with {first}")
    failed = [each for each in report.checks if each.outcome == "failed"]
    assert all(each.unwritten for each in failed if not each.hidden)
    assert bool(failed[0].hints) == hints
    assert {each.points for each in report.checks} == {0.0}


def test_code_above_a_raise_that_is_left_in_counts_as_written(root):
    course = load_course(root / "course.yml")
    source = read_source(root / "exercises/softmax.py", "softmax")
    text = source.text.replace("# YOUR CODE HERE", "powers = np.exp(x)")
    with Judge(course, [course.exercise("softmax")]) as judge:
        report = judge.run(from_text(text, "softmax", "softmax.py")).report
    line = 1 + text.split("\n").index("    raise NotImplementedError()")
    assert opening(report).text == (
        f"softmax has code, but the `raise NotImplementedError()` in line {line} of softmax.py "
        "stops it. Remove this line, or replace it by your `return`."
    )
    assert not any(each.unwritten for each in report.checks)


BODY = "def softmax(x, axis=-1):\n    return x\n"
WHOLE = "class SelfAttention:\n    def __init__(self):\n        super().__init__()\n    def forward(self):\n"


def test_a_function_that_a_stub_below_replaces_is_defined_twice(root):
    """It was "Begin with softmax"."""
    course = load_course(root / "course.yml")
    handed_out = read_source(root / "exercises/softmax.py", "softmax")
    text = handed_out.text.replace("# %%\ndef softmax", f"# %%\n{BODY}\n\ndef softmax")
    source = from_text(text, "softmax", "softmax.py")
    with Judge(course, [course.exercise("softmax")]) as judge:
        report = judge.run(source).report
    first, second = (n for n, line in enumerate(text.split("\n"), 1) if "def softmax" in line)
    assert opening(report).text == (
        f"softmax is defined twice: the second definition in line {second} of softmax.py, without "
        f"code, replaces the first in line {first} of softmax.py. Delete the second definition."
    )
    assert opening(report).place.line == second
    assert not any(each.unwritten for each in report.checks)
    stub = read_stubs(course)["softmax"]
    assert not stub.is_untouched(read_code(source.units), {})
    assert stub.is_untouched(read_code(handed_out.units), {})


@pytest.mark.parametrize(
    ("text", "at", "lines"),
    [
        (BODY + "\n" + BODY.replace("return x", "raise NotImplementedError()"), 5, (4, 1)),
        (BODY.replace("return x", "raise NotImplementedError()") * 2, 4, None),
        (BODY.replace("softmax", "other") + "def f():\n    raise NotImplementedError()\n", 4, None),
        (f"{WHOLE}        return 1\n{WHOLE}        raise NotImplementedError()\n", 10, (6, 1)),
        (f"{WHOLE}        raise NotImplementedError()\n" * 2, 10, None),
    ],
)
def test_only_a_definition_with_a_body_is_replaced(text, at, lines):
    units = [Unit("work.py", text)]
    found = replaced(units, CodePlace("work.py", at, ""))
    assert (found and tuple(place.line for place in found)) == lines


def test_a_refusal_of_a_stub_is_none(submit):
    from autograder.checks.expect import expect_error
    from autograder.sandbox.problems import NotWritten

    submission = submit("def f(x):\n    raise NotImplementedError\n")
    with pytest.raises(NotWritten):
        expect_error(submission.f, 1, type="ValueError")
