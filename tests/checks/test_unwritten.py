"""Checks that meet nothing but what was handed out say so, with a name and the hints to begin."""

import pytest

from autograder.course.course_file import load_course
from autograder.grading.judge import Judge
from autograder.report.presentation import opening
from autograder.report.terminal import exercise_lines
from autograder.submission.code import defined_again, read_code, replaced
from autograder.submission.source import from_text, read_source
from autograder.submission.stubs import read_stubs
from autograder.worker.messages import CodePlace, Unit


@pytest.mark.one_in(4)
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


F = "def f(x):\n    return x\n"
METHOD = "    def g(self):\n        return 1\n"


@pytest.mark.parametrize(
    ("texts", "lines"),
    [
        ([F + "print(f(1))\n" + F], [[1, 4]]),
        ([F, "y = f(1)\n" + F], [[1, 2]]),
        (["class C:\n" + METHOD * 2], [[2, 4]]),
        (["class C:\n" + METHOD + "class D:\n" + METHOD], []),
        ([F + "def f(x):\n    raise NotImplementedError()\n"], []),
        (["def f(x):\n    raise NotImplementedError()\n" + F], []),
        (["import functools\n@functools.singledispatch\n" + F + "@f.register\n" + F], []),
        (["from typing import overload\n@overload\ndef f(x): return 1\n" + F], []),
        (["class C:\n    @property\n" + METHOD + "    @g.setter\n" + METHOD], []),
        (
            [F + "try:\n    " + F.replace("\n", "\n    ").rstrip() + "\nexcept E:\n    pass\n" + F],
            [],
        ),
        (["if x:\n    def f(x): return 1\nelse:\n    def f(x): return 2\n"], []),
        ([F + "old = f\n" + F], []),
        ([F + F + "f = g\n"], []),
    ],
)
def test_only_a_definition_that_python_does_not_use_is_defined_again(texts, lines):
    units = [Unit(f"code cell {n}", text) for n, text in enumerate(texts, 1)]
    assert [[place.line for place in places] for places in defined_again(units)] == lines
    running = [Unit(f"cell In[{n}]", text) for n, text in enumerate(texts, 1)]
    assert defined_again(running) == [] or len(texts) == 1  # a cell may run again


def test_a_function_that_is_defined_twice_is_told_above_the_checks(root):
    course = load_course(root / "course.yml")
    text = read_source(root / "solutions/softmax.py", "softmax").text
    first, last = text.split("\n").index("def softmax(x, axis=-1):") + 1, text.count("\n") + 2
    said = (
        f"softmax is defined twice, in lines {first} and {last}. Python uses the last one, in line "
        f"{last} of softmax.py."
    )
    wrong = BODY.replace("return x", "return x / 2")
    with Judge(course, [course.exercise("softmax")]) as judge:
        report, right = (
            judge.run(from_text(f"{text}\n{body}", "softmax", "softmax.py")).report
            for body in (
                wrong,
                text[
                    text.index("def softmax") : text.index(
                        "# %% [markdown]\n", text.index("def softmax")
                    )
                ],
            )
        )
    assert report.notes == (said,)
    lines = ["".join(part for part, _ in line) for line in exercise_lines(report)]
    assert lines.index(f"Note: {said}") < lines.index("")
    assert right.points == right.max_points and not right.notes


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("line", "is_said"),
    [
        ("x.transpose(0, 1)", True),
        ("x / 2", True),
        ("rows = [[0] * 2] * 2", False),
        ("x.sort()", False),
        ("x[0] = 2", False),
        ("print(x)", False),
        ("y = x.transpose()", False),
    ],
)
def test_a_result_that_nothing_uses_is_told(grade_text, line, is_said):
    report = grade_text("softmax", BODY.replace("return x", f"{line}\n    return x"))
    said = f"Nothing uses the result of `{line}`"
    assert any(note.startswith(said) for note in report.notes) == is_said
    is_one_list = any("all rows are one and the same list" in note for note in report.notes)
    assert is_one_list == ("]]" in line or "] * 2]" in line)


def test_a_refusal_of_a_stub_is_none(submit):
    from autograder.checks.expect import expect_error
    from autograder.sandbox.problems import NotWritten

    submission = submit("def f(x):\n    raise NotImplementedError\n")
    with pytest.raises(NotWritten):
        expect_error(submission.f, 1, type="ValueError")
