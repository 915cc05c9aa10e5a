"""Every exercise: the solution gets full marks, the stub none; `verify` adds styles and seeds."""

import numpy as np
import pytest
import yaml

from autograder.course.course_file import load_course
from tests.conftest import ROOT

NAMES = list(load_course(ROOT / "course.yml").exercises)
RIGHT = yaml.safe_load((ROOT / "examples" / "right.yml").read_text())
FILES = [
    (student, exercise, path)
    for student in RIGHT
    for exercise in NAMES
    for path in sorted((ROOT / "examples" / "class" / student).glob(f"{exercise}.*"))
]


@pytest.mark.thorough  # `autograder verify --quick`, which `make test` runs, shows it too
@pytest.mark.parametrize("name", NAMES)
def test_the_solution_gets_full_marks(grade_file, root, name):
    report = grade_file(root / "solutions" / f"{name}.py", name)
    assert [c.finding for c in report.checks if c.outcome != "passed"] == []
    assert all(c.max_points == int(c.max_points) for c in report.checks)  # as its file says
    assert report.points == report.max_points or report.status == "by hand"


@pytest.mark.one_in(30)  # `autograder verify --quick` shows it of every script
@pytest.mark.parametrize("suffix", [".py", ".ipynb"])
@pytest.mark.parametrize("name", NAMES)
def test_the_stub_gets_nothing_and_is_told_why(grade_file, root, name, suffix):
    report = grade_file(root / "exercises" / f"{name}{suffix}", name)
    assert report.points == 0
    assert report.status == "graded"
    for check in report.checks:
        assert check.outcome in {"failed", "not run"}
        assert "yet" in check.finding or check.outcome == "not run", check


@pytest.mark.one_in(5)
@pytest.mark.parametrize("name", NAMES)
def test_an_empty_file_gets_nothing(grade_text, name):
    report = grade_text(name, "")
    assert report.points == 0
    said = "is not written yet" if name == "reflection" else "is not defined in"
    assert said in report.checks[0].finding


@pytest.mark.thorough  # the class as a whole is graded in tests/classroom
@pytest.mark.parametrize(
    ("student", "exercise", "path"), FILES, ids=lambda v: getattr(v, "name", v)
)
def test_right_examples_get_full_marks_and_wrong_ones_do_not(grade_file, student, exercise, path):
    from autograder.submission.read import UnreadableFile

    try:
        report = grade_file(path, exercise)
    except UnreadableFile:
        assert exercise not in RIGHT[student]
        return
    right = exercise in RIGHT[student]
    wrong = [(c.title, c.finding) for c in report.checks if c.outcome != "passed"]
    assert (not wrong) == right, wrong


SCALED_DOWN = {
    "no scaling": ("/ np.sqrt(K.shape[-1])", ""),
    "divides by d_k": ("np.sqrt(K.shape[-1])", "K.shape[-1]"),
    "scales by a constant": ("np.sqrt(K.shape[-1])", "2.0"),
    "scales by d_v": ("np.sqrt(K.shape[-1])", "np.sqrt(V.shape[-1])"),
    "scales by L_k": ("np.sqrt(K.shape[-1])", "np.sqrt(K.shape[-2])"),
    "multiplies by root d_k": ("/ np.sqrt(K.shape[-1])", "* np.sqrt(K.shape[-1])"),
    "softmax over queries": ("axis=-1", "axis=-2"),
    "softmax over everything": ("axis=-1, keepdims=True", "keepdims=True"),
    "not stable": ("np.exp(scores - scores.max(axis=-1, keepdims=True))", "np.exp(scores)"),
    "mask inverted": ("np.where(mask, scores, -np.inf)", "np.where(mask, -np.inf, scores)"),
    "mask left out": ("np.where(mask, scores, -np.inf)", "scores"),
    "blocked scores are 0": ("-np.inf", "0"),
    "blocked scores are -10": ("-np.inf", "-10"),
    "mask as a factor": ("np.where(mask, scores, -np.inf)", "scores * mask"),
    "not for masks of 0 and 1": (
        "np.where(mask, scores, -np.inf)",
        "np.where(mask is True, scores, np.where(np.asarray(mask) == True, scores, 0 * scores))",
    ),
    "weights transposed": ("attention_weights @ V,", "np.swapaxes(attention_weights, -1, -2) @ V,"),
    "order of results": (
        "return attention_weights @ V, attention_weights",
        "return attention_weights, attention_weights @ V",
    ),
    "only the output": (
        "return attention_weights @ V, attention_weights",
        "return attention_weights @ V",
    ),
    "transposes all axes": ("np.swapaxes(K, -1, -2)", "K.T"),
    "Q and K swapped": ("Q @ np.swapaxes(K, -1, -2)", "K @ np.swapaxes(Q, -1, -2)"),
    "values of the keys": ("attention_weights @ V,", "attention_weights @ K,"),
    "scales twice": ("np.sqrt(K.shape[-1])", "np.sqrt(K.shape[-1]) / np.sqrt(K.shape[-1])"),
    "changes Q": ("scores = Q @", "Q *= 1.0000001\n    scores = Q @"),
    "half precision": ("scores = Q @", "Q = Q.astype(np.float16)\n    scores = Q @"),
}


@pytest.mark.one_in(24)
@pytest.mark.parametrize("mistake", SCALED_DOWN)
def test_mistakes_in_attention_lose_marks(grade_text, root, mistake):
    text = (root / "solutions" / "scaled_dot_product_attention.py").read_text()
    old, new = SCALED_DOWN[mistake]
    assert old in text
    report = grade_text("scaled_dot_product_attention", text.replace(old, new))
    assert report.points < report.max_points


def test_hand_computation_follows_a_slip_through(grade_file, root):
    path = root / "examples" / "class" / "s19" / "hand_computation.py"
    report = grade_file(path, "hand_computation")
    by_name = {check.name: check for check in report.checks}
    assert by_name["test_step[a_scaled]"].outcome == "failed"
    assert by_name["test_step[a_weights]"].note == "Right, from your a_scaled."
    assert report.points == 12


def test_numbers_copied_from_s3_are_named_as_such(grade_file, root):
    path = root / "examples" / "class" / "s18" / "hand_computation.py"
    findings = [c.finding for c in grade_file(path, "hand_computation").checks if c.finding]
    assert len(findings) == 4
    assert all("the printed numbers of this example" in finding for finding in findings)


def test_hand_computation_does_not_give_its_answers_away(grade_text):
    report = grade_text("hand_computation", "a_scores = [[9, 9], [9, 9]]")
    first = report.checks[0]
    assert first.evidence.expected is None
    assert "all 4 entries are wrong." in first.finding


@pytest.mark.parametrize("exponent", [0.45, 0.5, 0.55, np.float64(0.5)])
def test_a_measured_exponent_is_right_within_its_margin(grade_text, exponent):
    text = f"CONCLUSION = dict(growth_exponent={float(exponent)}, steady='scaled', gradient='vanishes')"
    report = grade_text("scaling_experiment", text)
    assert report.points == 2


def test_what_no_value_shows_is_not_said_to_be_another_mistake(grade_text, root):
    """Its values are those of a maximum over blocked scores; the check met a changed argument."""
    solution = (root / "solutions/causal_mask.py").read_text(encoding="utf-8")
    right = "    masked = apply_mask(scores, mask)\n"
    in_place = "    scores -= scores.max(axis=-1, keepdims=True)\n"
    head, tail = solution.split(right)
    tail = tail.replace(" - masked.max(axis=-1, keepdims=True)", "")
    check = grade_text("causal_mask", head + in_place + right + tail).checks[-1]
    assert check.cause.code == "argument_changed"
    assert check.diagnosis.misconceptions == ("changes-its-argument",)
