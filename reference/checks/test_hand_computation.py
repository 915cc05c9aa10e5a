"""Checks of `hand_computation`: numbers from a calculation on paper, with follow-through marks.

An entry is right if it is within ±0.002 of the exact value, or of the value that follows from the
student's own previous step. So one mistake costs one step.
"""

import ast
import dataclasses
import re

import numpy as np
import pytest

from autograder.author import (
    Mismatch,
    NotJudged,
    NotStarted,
    StudentProblem,
    expect_shape,
)
from reference.by_hand import PRINTED_IN_S3, STEPS, WITHIN
from reference.hand_mistakes import mistakes_of_row, named, with_names
from reference.hand_relations import (
    COARSE,
    are_shares,
    expect_shares,
    first_wrong,
    fits,
    judge_by_relations,
    judge_masked_row,
    not_right,
    too_few_decimals,
    with_few_decimals,
    with_later,
)
from reference.misconceptions.hand_computation import explain_value, with_later_steps
from reference.misconceptions.hand_computation.steps import findings

DECIMAL_COMMA = re.compile(r"(?<![\"'\d])(\d+),(\d+)(?![\"'\d])")
HOW = {
    "scores": (
        "Which two rows does the entry in row i and column j come from?",
        "Entry [i][j] is the dot product of row i of Q with row j of K. This is the matrix Q Kᵀ, "
        "not Q K.",
        "Take row i of Q and row j of K. Multiply them number by number, and add up the products.",
    ),
    "scaled": (
        "By what does the formula divide the scores?",
        "All scores are divided by the same number: the square root of d_k, the length of a key.",
        "Count the columns of K. This number is d_k. Divide each score by √d_k.",
    ),
    "weights": (
        "What is the sum of the exponentials of a row?",
        "Each row has its own softmax: e to the power of each entry, divided by the sum of these "
        "powers.",
        "For one row, calculate the exponentials and add them up. Then divide each exponential by "
        "this sum.",
    ),
    "output": (
        "Which rows does row i of the weights mix?",
        "Row i of the output is a sum of the rows of V. Each row of V is multiplied by its weight "
        "in row i.",
        "In row i, column c of the output is weight 1 times V[0][c], plus weight 2 times V[1][c], "
        "and so on.",
    ),
}


def stated(submission, name):
    """Return the student's own value of an earlier step. If it is unusable, return None."""
    try:
        values = submission.value(name)
    except StudentProblem:
        return None
    try:
        return np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        return None


def is_blank(place, name):
    """Return True if the line has no value yet: `a_scores = None`, or three dots."""
    return place is not None and re.search(rf"\b{name}\b[^(]*=\s*(None\b|\.\.\.)", place.text)


def filled_in(submission, name):
    try:
        value = submission.value(name)
    except StudentProblem:
        if is_blank(submission.where_set(name), name):
            raise NotStarted(name) from None
        raise
    if value is not None:
        return value
    place = submission.where_set(name)
    if place is None or is_blank(place, name):
        raise NotStarted(name)
    says = (
        "`print` shows a value, and returns None" if "print(" in place.text else "expected numbers"
    )
    raise Mismatch(f"{name} is None; {says}.", name)


def numbers_of(submission, name, sizes):
    """Return the student's numbers. For a wrong shape, look for commas inside numbers."""
    try:
        return expect_shape(filled_in(submission, name), sizes, name)
    except Mismatch as wrong:
        place = submission.where_set(name)
        found = DECIMAL_COMMA.search(place.text) if place else None
        if found is None or not fits_with_points(place.text, sizes):
            raise
        says = f"Python reads {found[0]} as two numbers. Write {found[1]}.{found[2]} instead."
        raise dataclasses.replace(wrong, finding=f"{wrong.finding} {says}") from None


def fits_with_points(line, sizes):
    """Return True if the shape is right after points replace commas inside numbers."""
    try:
        value = ast.literal_eval(DECIMAL_COMMA.sub(r"\1.\2", line.partition("=")[2].strip()))
        return np.shape(value) == sizes
    except (ValueError, SyntaxError):  # the first of several lines
        return re.search(r"\d,\d+, ", line) is not None


def judge_step(submission, reference, letter, step, note, grading):
    """Pass if every entry is right, or follows from the student's previous step."""
    name = f"{letter}_{step}"
    try:
        part = reference.hand_problem(submission.variant).parts[letter]
    except NotJudged:  # a released course has no answers, so only what needs none is judged
        judge_in_kit(submission, reference, name, note, grading)
        return
    answer = numbers_of(submission, name, reference.hand_shape(letter, step))
    exact = part.exact(step)
    right = np.abs(answer - exact) <= WITHIN
    if right.all():
        return
    before = f"{letter}_{STEPS[STEPS.index(step) - 1]}"
    own = stated(submission, before) if step != "scores" else None
    from_own = ""
    if own is not None:
        earned = part.earned(step, answer, own)
        from_own = before if (earned & ~right).any() else ""
        right |= earned
        if right.all():
            note(f"Right, from your {before}.")
            return
    if too_few_decimals(answer, np.abs(answer - exact) <= COARSE):
        grading("three decimals")
        raise with_few_decimals(not_right(name, answer, ~right), name)
    aside = submission.aside()  # other values that are read are not what the check tests
    steps = {each: stated(aside, f"{letter}_{each}") for each in STEPS}
    later = with_later_steps("", name, steps, submission.variant)
    if explain_value(name, aside.value, submission.variant) is not None:
        later = ""  # the message already has it, with the name
    tell_what_is_wrong(name, answer, ~right, not submission.variant, from_own, later)


def judge_in_kit(submission, reference, name, note, grading):
    """Pass if a step fits the previous steps, and the scores fit the text's matrices."""
    letter, step = name.split("_")
    steps = own_steps(submission, reference, letter, step)
    filled_in(submission, name)
    given = reference.hand_givens(submission.variant)[letter]
    try:
        numbers_of(submission, name, reference.hand_shape(letter, step))
        if remark := judge_by_relations(name, steps, given):
            note(remark)
    except Mismatch as wrong:
        if wrong.code == "other_kind":
            raise
        own = stated(submission, name)
        says = named(wrong, name, own, steps, given, findings()[step])
        if not first_wrong(step, steps, given):
            if step in steps and too_few_decimals(own, fits(step, steps, given, COARSE)):
                grading("three decimals")
                says = with_few_decimals(wrong, name)
            every = own_steps(submission.aside(), reference, letter, STEPS[-1])
            is_right = lambda s: None if step == "scores" else bool(fits(s, every, given).all())
            text = with_later(says.finding, name, every, given, is_right)
            says = dataclasses.replace(says, finding=text)
        raise says from None


def own_steps(submission, reference, letter, last):
    """Return the student's steps of a part up to `last`, without steps of a wrong shape."""
    steps = {}
    for step in STEPS[: STEPS.index(last) + 1]:
        own = stated(submission, f"{letter}_{step}")
        shape = reference.hand_shape(letter, step)
        if own is not None and own.shape == shape and np.isfinite(own).all():
            steps[step] = own
    return steps


def tell_what_is_wrong(name, answer, wrong, printed, from_own="", later=""):
    """Raise a mismatch. Its message names the example's misprints, or the wrong entries."""
    printed = PRINTED_IN_S3.get(name, {}) if printed else {}
    places = [tuple(int(i) for i in place) for place in np.argwhere(wrong)]
    if printed and all(
        place in printed and abs(answer[place] - printed[place]) <= WITHIN for place in places
    ):
        raise Mismatch(
            f"{name}: these are the printed numbers of this example. The printed numbers are "
            f"wrong: they do not follow from the matrices of the example.{later}",
            name,
            answer,
            None,
            wrong,
        )
    try:
        if name.endswith(("weights", "row")):
            expect_shares(name, answer, wrong)
    except Mismatch as no_weights:
        raise dataclasses.replace(no_weights, finding=no_weights.finding + later) from None
    raise not_right(name, answer, wrong, from_own, later)


def title(part, step):
    words = {
        "scores": "the scores Q Kᵀ",
        "scaled": "the scores divided by √d_k",
        "weights": "the weights (softmax of each row)",
        "output": "the output (weights times V)",
    }
    return f"Part {part.upper()}: {words[step]}"


def case(part, step):
    mark = pytest.mark.check(
        title(part, step),
        points=1,
        grades=["steps", "three decimals", "follow-through"],
        hints=HOW[step],
    )
    return pytest.param(part, step, id=f"{part}_{step}", marks=mark)


@pytest.mark.parametrize(("part", "step"), [case(part, step) for part in "abc" for step in STEPS])
def test_step(submission, reference, note, grading, part, step):
    judge_step(submission, reference, part, step, note, grading)


@pytest.mark.check(
    "Part C: the row with its last token blocked",
    points=1,
    grades=["steps", "three decimals"],
    hints=(
        "Which weights do you expect for the four scores if the last token is blocked?",
        "The blocked token should have the weight 0. The weights of the other three tokens "
        "should sum to 1.",
        "Leave out the last score. Take the softmax of the other three scores. Put 0 at the end.",
    ),
)
def test_masked_row(submission, reference, grading):
    answer = numbers_of(submission, "c_masked_row", (4,))
    try:
        right = reference.hand_problem(submission.variant).masked_row
    except NotJudged:
        given = reference.hand_givens(submission.variant)["masked_scores"]
        row, given = np.asarray(answer, float), np.array(given)
        try:
            judge_masked_row("c_masked_row", row, given)
        except Mismatch as wrong:
            known = mistakes_of_row(row, given)
            shares = are_shares(row[:-1], given[:-1], COARSE)
            if too_few_decimals(row, np.append(shares, abs(row[-1]) <= WITHIN)):
                grading("three decimals")
                raise with_few_decimals(wrong, "c_masked_row") from None
            words = findings()["masked_row"]
            raise with_names(wrong, "c_masked_row", known, words) from None
        return
    wrong = ~(np.abs(answer - np.array(right)) <= WITHIN)
    if too_few_decimals(answer, np.abs(answer - np.array(right)) <= COARSE) and wrong.any():
        grading("three decimals")
        raise with_few_decimals(not_right("c_masked_row", answer, wrong), "c_masked_row")
    if wrong.any():
        tell_what_is_wrong("c_masked_row", answer, wrong, printed=not submission.variant)
