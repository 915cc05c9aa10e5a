"""Attention by hand in a course without its answers: judged by relations of the student's steps."""

import contextlib
import runpy
from types import SimpleNamespace

import numpy as np
import pytest

from autograder.author import MayFollow, Mismatch
from reference.by_hand import STANDARD, STEPS, hand_givens, hand_shape
from reference.hand_entries import by_entries
from reference.hand_mistakes import mistakes_of_row, named
from reference.hand_relations import judge_by_relations, judge_masked_row, with_later
from reference.misconceptions.hand_computation import explain_value, simulated_values
from reference.misconceptions.hand_computation.steps import findings
from tests.conftest import ROOT

GIVENS = hand_givens()
RIGHT = [
    ROOT / "solutions/hand_computation.py",
    *sorted((ROOT / "examples/right/hand_computation").glob("*.py")),
]


def judged(values):
    """What each step of each part is told: `right`, `follows`, `may follow`, or the finding."""
    found = {}
    for part in "abc":
        for number, step in enumerate(STEPS):
            own = {s: np.array(values[f"{part}_{s}"], float) for s in STEPS[: number + 1]}
            name = f"{part}_{step}"
            try:
                remark = judge_by_relations(name, own, GIVENS[part])
                found[name] = "follows" if remark else "right"
            except Mismatch as error:
                found[name] = str(error)
            except MayFollow:
                found[name] = "may follow"
    return found


def right_values():
    return runpy.run_path(str(RIGHT[0]))


def test_no_numbers_are_no_mistake_with_a_name():
    wrong = Mismatch("a_scaled has the shape (2, 0); expected (2, 2).")
    steps = {"scores": np.array(right_values()["a_scores"], float)}
    assert (
        named(wrong, "a_scaled", np.zeros((2, 0)), steps, GIVENS["a"], findings()["scaled"])
        is wrong
    )


@pytest.mark.parametrize("path", RIGHT, ids=lambda path: path.stem)
def test_right_numbers_pass(path):
    values = runpy.run_path(str(path))
    assert set(judged(values).values()) == {"right"}
    judge_masked_row("row", np.array(values["c_masked_row"]), np.array(GIVENS["masked_scores"]))


def test_one_half_everywhere_is_wrong():
    values = {f"{p}_{s}": np.full(hand_shape(p, s), 0.5) for p in "abc" for s in STEPS}
    found = judged(values)
    assert not {"right", "follows"} & set(found.values())
    assert found["a_scores"].startswith("a_scores: all 4 entries are wrong")
    assert found["b_weights"] == "b_weights[0] sums to 1.5. The weights of a row sum to 1."
    with pytest.raises(Mismatch, match="row sums to 2. The weights of a row sum to 1"):
        judge_masked_row("row", np.full(4, 0.5), np.array(GIVENS["masked_scores"]))


def test_each_wrong_entry_is_found_and_what_follows_from_it_too():
    values = right_values()
    values["b_scores"] = np.array([[1, 1, 2], [1, 1, 1], [1.1, 1.5, 2.1]])
    found = judged(values)
    assert found["b_scores"] == "b_scores: 3 of 9 entries are wrong: [2][0], [2][1], [2][2]."
    assert found["b_scaled"] == "may follow"  # the exact numbers, or not: nobody knows here
    values["b_scaled"] = values["b_scores"] / 2
    assert judged(values)["b_scaled"] == "follows"


def test_weights_are_judged_by_their_rows():
    values = right_values()
    values["c_weights"] = [[1.2, -0.1, -0.1], *values["c_weights"][1:]]
    said = judged(values)["c_weights"]
    assert said == "c_weights[0][0] is 1.2. A weight is between 0 and 1."
    with pytest.raises(Mismatch, match=r"1 of 4 entries is wrong: \[3\]"):
        row = np.array([0.316, 0.425, 0.258, 0.003])
        judge_masked_row("row", row, np.array(GIVENS["masked_scores"]))


def test_where_the_scores_are_right_every_step_is_judged():
    """By itself, or given the step before; one that is missing, or is a row of no work, gives none."""
    values = right_values()
    steps = {s: np.array(values[f"c_{s}"], float) for s in ("scores", "output")}
    assert judge_by_relations("c_output", steps, GIVENS["c"]) == ""
    steps["output"][1, 0] += 0.1
    with pytest.raises(Mismatch, match=r"c_output: 1 of .* wrong: \[1\]\[0\]"):
        judge_by_relations("c_output", steps, GIVENS["c"])
    values["c_scaled"] = np.array(values["c_scaled"], float)
    values["c_scaled"][0] *= 2
    shares = np.exp(values["c_scaled"])
    values["c_weights"] = shares / shares.sum(axis=1, keepdims=True)
    assert judged(values)["c_weights"] == "follows"
    values["c_weights"][0] = 1 / 3
    assert judged(values)["c_weights"].startswith("c_weights: 3 of 9 entries are wrong")


@pytest.mark.parametrize("row", [[0.4, 0.4, 0.4], [0, 0, 1]])
def test_nothing_follows_from_a_row_that_needs_no_work(row):
    values = right_values()
    values["c_scores"] = np.array([[2.0, 1.0, 3.0], [1.0, 2.0, 3.0], [2.0, 1.5, 1.0]])
    values["c_scaled"] = np.array([row, [0.5, 1, 1.5], [1, 0.75, 0.5]])
    shares = np.exp(values["c_scaled"])
    values["c_weights"] = shares / shares.sum(axis=1, keepdims=True)
    assert judged(values)["c_weights"] == "may follow"


def test_mistakes_have_their_names():
    """Where two give the same numbers, both are named; where more do, none is."""
    unnamed = []
    for name, mistake, values in simulated_values():
        solved = {**right_values(), **values}
        own = np.array(values[name], float)
        if name == "c_masked_row":
            found = mistakes_of_row(own, np.array(GIVENS["masked_scores"]))
        else:
            part, step = name.split("_")
            steps = {s: np.array(solved[f"{part}_{s}"], float) for s in STEPS if s != step}
            said = named(Mismatch("wrong"), name, own, steps, GIVENS[part], findings()[step])
            found = said.mistake
        unnamed += [] if mistake in found else [(name, mistake)]
    assert len(unnamed) <= 2, unnamed


def test_a_table_marks_what_is_wrong_and_not_all_of_a_row():
    values = right_values()
    marked = {}
    for weights in ([[0.378, 0.378, 0.452], *values["b_weights"][1:]], values["b_weights"]):
        for scores in (values["b_scores"], np.eye(3)):
            own = {"scores": scores, "scaled": values["b_scaled"], "weights": weights}
            own = {step: np.array(numbers, float) for step, numbers in own.items()}
            with contextlib.suppress(MayFollow):
                try:
                    judge_by_relations("b_weights", own, GIVENS["b"])
                except Mismatch as wrong:
                    marked[scores is values["b_scores"]] = wrong.wrong
    assert np.argwhere(marked[True]).tolist() == [[0, 0], [0, 1]]
    assert marked[False] is None  # with other scores nobody knows
    with pytest.raises(Mismatch, match=r"row\[3\] is −∞. A weight is") as wrong:
        row = np.array([0.316, 0.426, 0.258, -np.inf])
        judge_masked_row("row", row, np.array(GIVENS["masked_scores"]))
    assert wrong.value.yours.shape == (4,)
    assert wrong.value.wrong.tolist() == [False, False, False, True]


def test_what_is_not_finite_is_wrong():
    steps = {"scores": np.array(right_values()["a_scores"], float)}
    with pytest.raises(Mismatch, match="a_weights has an entry that is NaN or infinite"):
        judge_by_relations("a_weights", steps, GIVENS["a"])


def test_nothing_is_named_after_a_wrong_step():
    values = {s: np.array(right_values()[f"b_{s}"], float) for s in STEPS}
    values["scores"] = values["scores"] + 0.5
    wrong = Mismatch("wrong")
    own = values["scaled"]
    assert named(wrong, "b_scaled", own, values, GIVENS["b"], findings()["scaled"]) is wrong


@pytest.mark.parametrize(
    ("row", "named_as"),
    [([0.731, 0.269], "scores-not-scaled"), ([0.622, 0.378], "scaled-again"), ([0.73, 0.27], "")],
)
def test_three_digits_of_one_number_are_enough_for_a_name_and_two_are_not(row, named_as):
    """From 0.000 to 1.000 there are 1001 numbers: by chance, one of them fits less often than 0.001."""
    values = right_values() | {"a_weights": [[0.5, 0.5], row]}
    finding = explain_value("a_weights", values.__getitem__)
    assert (finding.misconceptions if finding else ()) == ((named_as,) if named_as else ())


def test_a_slip_near_a_mistake_has_no_name_of_its_own():
    """Within ±0.002 a blocked weight that is shared out equally was called powers of 2."""
    row = [0.321, 0.396, 0.282, 0.0]
    for shares, names in ((row, ("blocked-weight-shared-out",)), ([0.324, 0.396, 0.28, 0.0], ())):
        finding = explain_value("c_masked_row", {"c_masked_row": shares}.__getitem__)
        assert (finding.misconceptions if finding else ()) == names
        assert tuple(mistakes_of_row(np.array(shares), np.array(GIVENS["masked_scores"]))) == names


@pytest.mark.parametrize("in_kit", [False, True])
def test_the_first_wrong_step_names_what_follows_from_it(grade_text, in_kit):
    """Each later step took a round of its own, once the first one was corrected."""
    every = right_values()
    values = {f"b_{step}": np.array(every[f"b_{step}"], float) for step in STEPS}
    values["b_scores"] = values["b_scores"].T
    values["b_scaled"] = values["b_scores"] / 2
    shares = np.exp(values["b_scaled"])
    values["b_weights"] = shares / shares.sum(axis=1, keepdims=True)
    values["b_output"] = values["b_output"] + 0.5
    follow = "b_scaled and b_weights follow from b_scores: calculate them again."
    if in_kit:
        steps = {step: values[f"b_{step}"] for step in STEPS}
        assert with_later("Wrong.", "b_scores", steps, GIVENS["b"]) == f"Wrong. {follow}"
        return
    text = RIGHT[0].read_text()
    text += "".join(f"{name} = {value.tolist()}\n" for name, value in values.items())
    checks = grade_text("hand_computation", text).checks
    first = next(check for check in checks if check.outcome == "failed")
    other = "b_output does not follow from your b_weights, and is wrong too."
    assert f"{follow} {other}" in first.diagnosis.finding
    assert "calculate them again" not in first.finding  # not twice


def test_what_follows_from_a_wrong_step_and_is_right_stays(grade_text):
    """The weights of scores that were rounded too much are right to three decimals all the same."""
    text = RIGHT[0].read_text() + "a_scaled = [[0.71, 0.71], [0.71, 0]]\n"
    checks = grade_text("hand_computation", text).checks
    first = next(check for check in checks if check.outcome == "failed")
    assert "work" not in first.diagnosis.finding


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({}, "the right numbers rounded to 2 decimals. The task"),
        (
            {(0, 1): 0.29},
            "the right numbers to within 0.01, with 2 decimals. The task",
        ),  # sums to 1
        ({(1, 0): 0.38}, ""),  # 0.363 is neither
    ],
)
def test_two_decimals_are_named_however_they_were_cut(change, says):
    """One entry that was rounded up to make a row sum to 1 left all nine without a name."""
    rows = np.array([[0.43, 0.28, 0.28], [0.36, 0.36, 0.28], [0.37, 0.28, 0.35]])
    for place, value in change.items():
        rows[place] = value
    finding = explain_value("c_weights", {**right_values(), "c_weights": rows}.__getitem__)
    assert (finding.misconceptions if finding else ()) == (("rounded-2",) if says else ())
    assert finding is None or (says in finding.says and "decimals" in finding.hints[0])


def softmax_to_base(base, x):
    powers = base**x
    return powers / powers.sum(axis=-1, keepdims=True)


WRONG_OPERATIONS = {
    "c_scores": [
        (lambda g: (g.X @ g.X.T) / np.outer(g.lengths, g.lengths), "the cosines"),
        (lambda g: (g.X @ g.X.T)[[0, 2, 1]], "rows 1 and 2 exchanged"),
        (lambda g: g.X[:, :3] @ g.X[:, :3].T, "without the last number of each"),
    ],
    "c_scaled": [
        (lambda g: np.sqrt(g.c_scores / 4), "the root belongs to d_k alone"),
        (lambda g: g.c_scores / 1.4, "the scores divided by 1.4"),
    ],
    "c_weights": [
        (lambda g: softmax_to_base(10, g.c_scaled), "10 to the power of each entry"),
        (lambda g: 1 / (1 + np.exp(-g.c_scaled)), "the sigmoid of each entry, and not divided"),
        (lambda g: softmax_to_base(np.e, np.round(g.c_scaled, 1)), "entry rounded to 1 decimal"),
        (lambda g: np.full((3, 3), 1 / 3), "equal shares"),
    ],
    "c_output": [
        (lambda g: g.c_weights @ g.X / 3, "the right numbers divided by 3"),
        (lambda g: np.round(g.c_weights, 1) @ g.X, "the weights rounded to 1 decimal times V"),
        (lambda g: g.c_scaled @ g.X, "the scaled scores times V"),
    ],
}


@pytest.mark.parametrize(
    ("name", "wrong", "says"),
    [(name, wrong, says) for name, cases in WRONG_OPERATIONS.items() for wrong, says in cases],
)
def test_wrong_operations_are_named_without_an_entry_for_each(name, wrong, says):
    values = {key: np.array(v, float) for key, v in right_values().items() if key[0] in "abc"}
    X = np.array(GIVENS["c"]["Q"])
    givens = SimpleNamespace(**values, X=X, lengths=np.linalg.norm(X, axis=1))
    mine = np.round(wrong(givens), 3)
    finding = explain_value(name, {**values, name: mine}.__getitem__)
    assert finding is not None and says in finding.says
    mine[0, 0] += 0.01  # a slip is no such operation
    other = explain_value(name, {**values, name: mine}.__getitem__)
    assert other is None or says not in other.says or says == "equal shares"


def test_a_single_wrong_entry_is_pointed_at():
    values = right_values()
    values["c_output"] = np.array(values["c_output"], float)
    values["c_output"][2, 1] += 0.02
    assert "row 2 of the weights times column 1 of V" in judged(values)["c_output"]


@pytest.mark.parametrize(
    ("step", "place", "number", "words"),
    [
        ("scores", (0, 1), 0.77, "right, but entry [0][1] lacks the product 0.8 · 0.4"),
        ("scores", (0, 1), 1.54, "right, but entry [0][1] has the product 0.5 · 0.9 twice"),
        ("scores", (1, 2), -0.55, "right, but entry [1][2] has the wrong sign"),
        ("scores", (0, 1), 0.85, None),
    ],
)
def test_a_single_wrong_entry_is_explained(step, place, number, words):
    part = STANDARD.parts["c"]
    right = part.exact(step)
    mine = right.copy()
    mine[place] = number
    givens = SimpleNamespace(**{each: np.array(getattr(part, each)) for each in "QKV"}, right=right)
    found = by_entries(step, mine.round(2), givens)
    assert [said for _, said in found] == ([words] if words else [])


def test_exchanged_entries_are_named():
    right = STANDARD.parts["c"].exact("weights")
    givens = SimpleNamespace(right=right)
    mine = right.copy()
    mine[1, [0, 2]] = mine[1, [2, 0]]
    assert by_entries("weights", mine, givens)[0][1] == (
        "right, but the entries [1][0] and [1][2] are exchanged"
    )
