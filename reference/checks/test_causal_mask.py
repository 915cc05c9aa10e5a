"""Checks of `causal_mask`, which has four functions."""

from contextlib import contextmanager, suppress
from dataclasses import replace

import numpy as np
import pytest

from autograder.author import (
    MayFollow,
    Mismatch,
    NotJudged,
    Raised,
    StudentProblem,
    expect_all_follow,
    expect_close,
    expect_follows,
    expect_independent_calls,
    expect_numbers,
    expect_shape,
    expect_unchanged_arguments,
    graded_elsewhere,
)
from reference.following import own_count_visible, own_masked_weights
from reference.mask_shapes import broadcast_masks, expect_no_weight

SIZES = (1, 2, 3, 4, 7)
MASK = ["test_mask_values"]
LOW = 40.0  # a score this far below another has no weight: e to the power of −40 is 4e-18
TOO_HIGH = "A blocked score is not low enough: its weight is above 0."
HIGH_AMONG_LOW = "Beside low scores, a blocked score is not low enough: its weight is above 0."
LOWER = (
    "How low is a blocked score in your result, and how low is the lowest allowed one?",
    "Scores may be as low as −1,000. A blocked score has to lie far below every allowed score.",
    "Where the mask is false, put -np.inf (or -1e9) instead of the score.",
)
SQUARE = np.array([[1, 1, 0, 1], [0, 1, 1, 0], [1, 0, 1, 1], [0, 0, 1, 1]])  # not causal
UNSIGNED = " The mask has the dtype uint8, in which 0 − 1 is 255."
SUM = 1e-3  # allowed error of a row's sum of weights


def drawn_lengths(rng):
    """Return random lengths."""
    return rng.choice(np.arange(8, 41), size=3, replace=False).tolist()


def expect_allowed(answer, scores, allowed):
    """Pass if allowed scores are unchanged. A failure also marks high blocked scores."""
    __tracebackhide__ = True
    try:
        expect_close(answer, scores, "the allowed scores", among=allowed)
    except Mismatch as wrong:
        expected = np.where(allowed, scores, -np.inf)
        high = ~allowed & ~(answer <= expected.max(axis=-1, keepdims=True) - LOW)
        marks = high if wrong.wrong is None else high | wrong.wrong
        finding = "Allowed scores are changed, and blocked scores are not low enough."
        wrong = replace(wrong, yours=answer, expected=expected, wrong=marks)
        raise replace(wrong, finding=finding) if high.any() else wrong from None


def too_high(answer, allowed):
    """Return a mask of the blocked scores that are not far below the largest allowed score."""
    largest = np.where(allowed, answer, -np.inf).max(axis=-1, keepdims=True)
    return ~allowed & ~(answer <= largest - LOW)


def scores_for(rng, batch, length):
    return rng.normal(scale=2.0, size=(*batch, length, length))


@pytest.mark.check(
    "create_causal_mask: the shape is (seq_len, seq_len)",
    points=1,
    grades=["causal mask"],
    hints=(
        "How many tokens of a sequence are queries, and how many are keys?",
        "Every token is a query and a key. So the mask has one row and one column for each token.",
        "The mask has seq_len rows and seq_len columns.",
    ),
)
def test_mask_shape(submission):
    for size in SIZES:
        expect_shape(submission.create_causal_mask(size), (size, size), "the mask")


@pytest.mark.check(
    "create_causal_mask: each token sees itself and the tokens before it",
    points=3,
    grades=["causal mask"],
    needs=["test_mask_shape"],
    hints=(
        "In each row of your mask, which entries are true (or 1), and which should be?",
        "True (or 1) means “may attend”. In row i, the keys 0 to i are true.",
        "The mask is the lower triangle, including the diagonal. Look at np.tril.",
    ),
)
def test_mask_values(submission, reference):
    for size in (2, 3, *SIZES):
        mask = submission.create_causal_mask(size)
        expect_close(mask, reference.causal_mask(size), "the mask")


@pytest.mark.check(
    "apply_mask: allowed scores stay as they are",
    points=2,
    grades=["masked scores"],
    hints=(
        "What does your code do with a score whose mask entry is true?",
        "Allowed scores stay exactly as they are. Only blocked scores are replaced.",
        "np.where(mask, scores, low) takes the score where the mask is true.",
    ),
)
def test_allowed_scores(submission, reference, rng):
    cases = [scores_for(rng, *sizes) for sizes in (((), 3), ((2,), 4), ((2, 3), 5))]
    for scores in (*cases, np.array([[0.0, 1.0], [2.0, 0.0]])):  # some allowed scores are 0
        mask = reference.causal_mask(scores.shape[-1])
        answer = expect_shape(submission.apply_mask(scores, mask), scores.shape, "the scores")
        expect_allowed(answer, scores, np.broadcast_to(mask, scores.shape))


@pytest.mark.check(
    "apply_mask: blocked scores get the weight 0, for small scores",
    points=2,
    grades=["masked scores"],
    needs=["test_allowed_scores"],
    hints=(
        "In your result, what is each blocked score, and what is each allowed one?",
        "exp(0) is 1, not 0. Only a very low score, such as −∞ or −1e9, gets the weight 0.",
        "Where the mask is false, put -np.inf (or -1e9) instead of the score.",
    ),
)
def test_blocked_scores(submission, reference, rng):
    zeros = np.zeros((2, 2))  # a blocked score of 0 stays 0 if it is only multiplied
    for scores in (scores_for(rng, (), 3), scores_for(rng, (2,), 4), zeros):
        mask = np.broadcast_to(reference.causal_mask(scores.shape[-1]), scores.shape)
        answer = expect_shape(submission.apply_mask(scores, mask), scores.shape, "the scores")
        answer = answer.astype(float)
        usable = ~np.isnan(answer) & ~np.isposinf(answer)
        assert usable.all(), "A blocked score is NaN or +∞. It has to be very low."
        largest = answer.max(axis=-1, keepdims=True, initial=-np.inf)
        high = ~mask & (answer > largest - LOW)
        if not high.any():
            continue
        with suppress(NotJudged):  # in a student kit, which has no weights of wrong scores
            expect_close(
                np.where(mask, 0.0, reference.softmax(answer)),
                np.zeros(answer.shape),
                "the weights of the blocked keys, after a softmax of your scores",
            )
        raise Mismatch(TOO_HIGH, "the scores", answer, None, high)


TENSOR = "a tensor of torch"


def kind_of_own_mask(mask):
    """Return words for an unusual kind of mask, and advice. For usual arrays, return None."""
    if isinstance(mask, list):
        advice = "np.array(…) makes one from your lists."
        return "a list of lists", "arrays", f"Return an array: {advice}"
    if type(mask).__name__ == "Tensor":
        advice = "Return an array: `.numpy()` makes one from your tensor."
        return TENSOR, "arrays of NumPy", advice
    if not isinstance(mask, np.ndarray) or mask.dtype in (bool, np.int64, np.float64):
        return None
    fact = "In this dtype, 0 − 1 is not −1. " if mask.dtype.kind == "u" else ""
    advice = f"{fact}Return an array of True and False: `dtype=bool` makes one."
    return f"an array with the dtype {mask.dtype}", "other dtypes", advice


def expect_own_masks(submission):
    """Pass if apply_mask accepts the result of create_causal_mask, which may be lists."""
    __tracebackhide__ = True
    aside, scores = submission.aside(), np.arange(1.0, 10.0).reshape(3, 3)
    try:
        mask = aside.create_causal_mask(3)
    except StudentProblem:
        return
    kind = kind_of_own_mask(mask)
    if kind is None or not np.array_equal(mask, np.tril(np.ones((3, 3)))):
        return
    usual = np.array(mask).astype(int)
    expected = expect_numbers(aside.apply_mask(scores, usual), "the scores")
    try:
        own = aside.create_causal_mask.kept(3) if kind[0] == TENSOR else mask
        answer = expect_numbers(submission.apply_mask(scores, own), "the scores")
        expect_close(np.exp(answer), np.exp(expected), "the scores")
    except (Mismatch, Raised):
        raise Mismatch(
            f"create_causal_mask returns {kind[0]}, but apply_mask is right only for {kind[1]}. "
            f"{kind[2]}",
            mistake="kind-of-result",
            code="other_kind",
        ) from None


@pytest.mark.check(
    "apply_mask: masks of 0 and 1, and of other shapes",
    points=1,
    grades=["kinds of masks", "masked scores"],
    needs=["test_blocked_scores"],
    hints=(
        "Which kinds of masks does your code accept?",
        "In a mask, 0 and 1 mean False and True. A mask broadcasts to the shape of the scores. "
        "Blocked scores become −∞ or −1e9.",
        "np.where accepts a mask of 0 and 1, and it broadcasts. `scores[~mask]` does neither (~1 "
        "is −2).",
    ),
)
def test_mask_kinds(submission, rng, grading):
    grading("kinds of masks")
    expect_own_masks(submission)
    rows = np.array([[1, 0, 1, 1], [0, 1, 0, 1], [1, 1, 0, 0]])
    masks = (rows, rows.astype(float), rows[:1], rows[np.newaxis].astype(bool))
    masks += (rows.astype(np.uint8),)
    cases = [((2, 3, 4), mask) for mask in masks]
    cases += [((4, 4), SQUARE.astype(bool)), ((2, 4, 4), SQUARE)]
    cases += [((3, 3, 4), rows)]  # as many queries as sequences
    cases += [((2, 2, 3, 4), np.stack([rows, rows[::-1]]))]  # as many heads as sequences
    for sizes in ((3, 4), (2, 3, 4), (2, 3, 4, 5)):
        cases += [(sizes, mask) for mask in broadcast_masks(rng, *sizes)]
    for sizes, mask in cases:
        scores = rng.normal(size=sizes)
        answer = submission.apply_mask(scores, mask)
        answer = expect_shape(answer, scores.shape, "the scores").astype(float)
        allowed = np.broadcast_to(mask, scores.shape) != 0
        expect_allowed(answer, scores, allowed)
        high = too_high(answer, allowed)
        if high.any():
            if not blocks(submission.aside(), scores, allowed):  # another kind of mask
                grading("masked scores")
            finding = TOO_HIGH + (UNSIGNED if mask.dtype == np.uint8 else "")
            raise Mismatch(finding, "the scores", answer, None, high)


@contextmanager
def given_apply_mask(submission, reference, scores, mask):
    """Say that wrong weights or an error come from a wrong apply_mask, if they do."""
    __tracebackhide__ = True
    try:
        yield
    except (Mismatch, Raised) as wrong:
        if not submission.uses("masked_attention_weights", "apply_mask"):
            raise
        own = None
        with suppress(Mismatch, Raised):
            own = submission.aside().apply_mask(scores, mask)
            blocked = expect_numbers(own).astype(float)
        if own is None:
            raise
        if isinstance(wrong, Raised):
            if not isinstance(own, list):
                raise
            raise Mismatch(
                "apply_mask returns a list or a tuple, and masked_attention_weights stops with an "
                "error. The text asks for one array as the result of apply_mask.",
                mistake="kind-of-result",
                code="other_kind",
            ) from None
        raise _given(blocked, wrong, submission, reference, scores, mask) from None


def _given(blocked, wrong, submission, reference, scores, mask):
    """Return the error for wrong weights, given the scores that the student's apply_mask returns.

    A row without a softmax has NaN, +∞ or only −∞.
    """
    answer = wrong.yours
    if not isinstance(answer, np.ndarray) or answer.shape != blocked.shape:
        return wrong
    with np.errstate(invalid="ignore"):
        has_none = ~(np.abs(blocked.max(axis=-1, initial=-np.inf)) < np.inf)
    is_finite = np.isfinite(answer).all(axis=-1)
    follows = blocked.shape != scores.shape or (has_none.any() and (has_none == ~is_finite).all())
    if is_finite.all() and (answer >= 0).all() and np.allclose(answer.sum(axis=-1), 1, atol=SUM):
        follows = not blocks(submission.aside(), scores, np.broadcast_to(mask, scores.shape))
    if not follows:
        return wrong
    try:
        expected = reference.softmax(blocked)
    except NotJudged:
        return MayFollow(wrong, "apply_mask")
    if not np.allclose(answer, expected, equal_nan=True):
        return wrong
    finding = f"{wrong.finding} These are the weights of the scores from your apply_mask."
    return replace(wrong, finding=finding)


def no_softmax_of(submission, scores, mask):
    """Return a test for weights that are no softmax of scores under the student's mask."""

    def cannot_follow(weights):
        masked = expect_shape(submission.own().apply_mask(scores, mask), scores.shape)
        rows_off = np.abs(weights.sum(axis=-1) - 1) > SUM
        return bool(np.array_equal(masked, scores) or rows_off.any() or (weights < 0).any())

    return cannot_follow


@pytest.mark.check(
    "masked_attention_weights: the softmax over the allowed keys",
    points=3,
    grades=["masked weights"],
    hints=(
        "How does your code make weights from the scores?",
        "The mask acts on the scores, before the softmax. The scores are already scaled.",
        "Take the softmax of the result of apply_mask, along the last axis. Do not divide by √d_k.",
    ),
)
def test_masked_weights(submission, reference, rng, note):
    small = np.array([[1.0, 5.0], [0.0, 1.0]])
    cases = [small, *(scores_for(rng, batch, n) for batch, n in (((), 4), ((2,), 3), ((2, 3), 5)))]
    masks = [reference.causal_mask(scores.shape[-1]) for scores in cases]
    rows = np.array([[1, 0, 1, 1], [0, 1, 0, 1], [1, 1, 0, 0]])  # not causal, not square
    sizes = (3, 4), (2, 3, 4), (3, 3, 4), (2, 2, 3, 4), (4, 4)
    cases += [rng.normal(size=size) for size in sizes]
    masks += [rows.astype(bool), rows, rows, np.stack([rows, rows[::-1]]), SQUARE == 1]
    for scores, mask in zip(cases, masks, strict=True):
        right = reference.masked_weights(scores, mask)
        if not submission.uses("masked_attention_weights", "apply_mask"):
            answer = submission.masked_attention_weights(scores, mask)
            expect_close(answer, right, "the weights", condition=10.0)
            expect_no_weight(answer, right, "the weights")
            continue
        of_own = lambda mask, scores=scores: lambda steps: own_masked_weights(steps, scores, mask)
        with given_apply_mask(submission, reference, scores, mask):
            answer = submission.masked_attention_weights(scores, mask)
            expect_follows(
                answer,
                right,
                of_own(mask),
                "the weights",
                note,
                "apply_mask",
                submission,
                condition=10.0,
                # apply_mask may ignore square masks, which costs points elsewhere
                unlike=[] if mask is masks[-1] else [of_own(np.ones_like(mask))],
                cannot_follow=no_softmax_of(submission, scores, mask),
                share=0.5,  # the blocked scores themselves do not matter
            )


@pytest.mark.check(
    "count_visible: how many keys each query sees",
    points=1,
    grades=["counts"],
    hints=(
        "How many keys does each query see, from the first to the last?",
        "The first query sees one key. Each later query sees one key more than the query before "
        "it.",
        "Count the true entries in each row of the mask.",
    ),
)
def test_count_visible(submission, reference, note):
    seen = lambda size: lambda steps: own_count_visible(steps, size)
    cases = []
    for size in (3, *SIZES):
        answer = expect_numbers(submission.count_visible(size), "the counts")
        cases.append((answer, reference.count_visible(size), seen(size)))
    expect_all_follow(cases, "the counts", note, "create_causal_mask", submission)


def counts_rightly(submission, reference, length):
    """Return True if count_visible is right for a length."""
    with graded_elsewhere(Mismatch, Raised):
        answer = expect_numbers(submission.count_visible(length), "the counts")
        expect_close(answer, reference.count_visible(length), "the counts")
        return True
    return False


def wrong_counts(submission, length):
    """Return the error for counts that are wrong only for long sequences."""
    said = f"count_visible({length}) gives wrong counts, although count_visible(4) is right."
    try:
        counts = expect_shape(submission.aside().count_visible(length), (length,)).astype(int)
    except (Mismatch, Raised):
        return Mismatch(said)
    right = np.arange(1, length + 1)
    largest = int(counts.max())
    if largest < length and np.array_equal(counts, np.minimum(right, largest)):
        return Mismatch(f"{said} No count is larger than {largest}.")
    if np.array_equal(counts % 256, right % 256):
        said = f"{said} After {largest} they start again at {int(counts[largest])}, as numbers of "
        return Mismatch(f"{said}8 bits do.", mistake="counts-in-eight-bits")
    return Mismatch(said)


def blocks(submission, scores, mask):
    """Return True if apply_mask leaves the allowed scores unchanged and makes the others low."""
    with graded_elsewhere(Mismatch, Raised):
        answer = expect_shape(submission.apply_mask(scores, mask), scores.shape, "the scores")
        expect_allowed(answer, scores, mask)
        return not too_high(answer, mask).any()
    return False


@pytest.mark.check(
    "Long sequences, large scores, and unchanged arguments",
    points=1,
    grades=["large scores", "lengths", "no side effects"],
    needs=MASK,
    hints=(
        "Which line of your code may go wrong for long sequences, or for scores of ±1,000?",
        "e to the power of 900 overflows, and e to the power of −1,000 is 0, so subtract the "
        "largest allowed score of the row first. A blocked score must be far below each of them.",
        "np.where(mask, scores, -np.inf) blocks scores of any size, and it makes a new array.",
    ),
)
def test_long_and_unchanged(submission, reference, rng, note, grading):
    grading("lengths")
    for size in (512, *drawn_lengths(rng)):
        mask = submission.create_causal_mask(size)
        expect_close(mask, reference.causal_mask(size), "the mask")
    others = drawn_lengths(rng)  # always drawn: a student kit has the answers in this order
    if counts_rightly(submission, reference, 4):  # one mistake costs once
        for size in (512, *others):  # 512 does not fit into eight bits
            if not counts_rightly(submission, reference, size):
                raise wrong_counts(submission, size)
    else:
        note(
            "The counts are wrong. Another check grades the counts. This check grades the other "
            "functions."
        )
    grading("no side effects")
    length = int(rng.integers(5, 10))
    scores, mask = rng.normal(size=(2, length, length)), reference.causal_mask(length)
    for function in (submission.apply_mask, submission.masked_attention_weights):
        with given_apply_mask(submission, reference, scores, mask):
            expect_unchanged_arguments(function, ["scores", "mask"], scores, mask)
        for other in (mask.astype(float), np.ones_like(mask)):  # the last one blocks nothing
            with graded_elsewhere(Raised):  # test_mask_kinds grades it
                expect_unchanged_arguments(function, ["scores", "mask"], scores, other)
    grading("large scores")
    mask = reference.causal_mask(4)
    mixed = np.array([[900.0], [-900.0], [0.0], [5.0]]) + rng.normal(size=(4, 4))
    lowest = np.where(mask, -995.0, 0.0) + rng.normal(size=(4, 4))
    usual = np.linspace(-2.0, 2.0, 16).reshape(4, 4) / 3
    if blocks(submission, usual, mask):  # one mistake costs once
        answer = expect_shape(submission.apply_mask(lowest, mask), lowest.shape, "the scores")
        expect_allowed(answer, lowest, mask)
        high = too_high(answer, mask)
        if high.any():
            raise Mismatch(HIGH_AMONG_LOW, "the scores", answer, None, high, hints=LOWER)
    else:
        note(
            "apply_mask is wrong. Other checks grade apply_mask. This check grades the other "
            "functions."
        )
    # Blocked scores of −1,000 instead of −∞ would have the weights of the allowed ones.
    apart = np.where(np.arange(4) % 2, 900.0, -900.0) + np.zeros((4, 4))
    cases = [np.where(mask, 900.0, -900.0), np.where(mask, -1000.0, 0.0), mixed, apart]
    # With four sequences, this check would also fail for the mistake to use row i of the mask for
    # sequence i. Another check grades that.
    for large in (*cases, np.stack([*cases, usual])):
        right = reference.masked_weights(large, mask)
        with given_apply_mask(submission, reference, large, mask):
            answer = submission.masked_attention_weights(large, mask)
            expect_close(answer, right, "the weights", condition=1e3)
    grading("no side effects")
    scores, other = rng.normal(size=(2, 5, 5))
    causal, more = reference.causal_mask(5), reference.causal_mask(5).T
    calls = [
        ("create_causal_mask", lambda s: s.create_causal_mask(length)),
        ("apply_mask", lambda s: s.apply_mask(scores, causal)),
        ("masked_attention_weights", lambda s: s.masked_attention_weights(scores, causal)),
        ("count_visible", lambda s: s.count_visible(5)),
    ]
    between = [
        lambda s: s.create_causal_mask(7),
        lambda s: s.masked_attention_weights(other, more),
        lambda s: s.apply_mask(other, more),
        lambda s: s.count_visible(2),
    ]
    expect_independent_calls(submission.fresh(), calls, between)
