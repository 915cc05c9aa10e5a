"""Misconceptions about the causal mask, and about what a mask does to scores."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autograder.diagnosis.recipe import Fact, Hints, Misconception, Probe, Recipe, Trait
from reference.attention import block, softmax
from reference.masks import causal_mask, count_visible

LOOK: Hints = (
    "Read row 0 of your mask aloud: which positions may the first word look at?",
    "True (or 1) means “may attend”. Row i is true for the keys 0 to i: itself and the past.",
    "Look at the function that cuts a triangle, and at its second argument: the diagonal and what "
    "lies below it stay true.",
)
SIZE: Hints = (
    "How many queries and how many keys does a sequence of 3 words have?",
    "Every position is a query and a key: seq_len rows and seq_len columns.",
    "Look at the sizes that your mask is made with.",
)
LOW: Hints = (
    "What is the softmax of a row in which one score is 0? Does that position weigh nothing?",
    "exp(0) is 1. Only a score that is very low, such as −∞ or −1e9, ends at weight 0.",
    "Look at the number that stands in for a blocked score.",
)
WHERE: Hints = (
    "What happens in your code to a score whose mask entry is true?",
    "Allowed scores come out exactly as they went in; only blocked ones are replaced.",
    "Look at the order of the two values in np.where, or at what you do to the mask first.",
)
BEFORE: Hints = (
    "After your mask has acted, do the allowed weights of each row still sum to 1?",
    "The mask acts on the scores, before the softmax; the scores are already scaled.",
    "Give apply_mask's result to a softmax along the last axis, and nothing else.",
)
COUNT: Hints = (
    "How many positions does the first query see? And the last?",
    "Each query sees itself and all before it: one more than the query before.",
    "It is the number of true entries in each row of the mask.",
)


def _mask(id: str, make: Callable[[int], Any], finding: str, hints: Hints = LOOK) -> Misconception:
    return Misconception(id, finding, hints, {"mask": lambda s: make(s.seq_len)})


def _ones(n: int) -> Any:
    return np.ones((n, n))


CREATE = (
    _mask("sees-the-future", lambda n: np.triu(_ones(n)),
          "The mask is the upper triangle: each position sees itself and the future, not the past."),
    _mask("future-only", lambda n: np.triu(_ones(n), 1),
          "The mask is the other way round: 1 marks the future, which is to be blocked; here 1 "
          "means “may attend”."),
    _mask("diagonal-blocked", lambda n: np.tril(_ones(n), -1),
          "The diagonal is blocked too: no position sees itself."),
    _mask("one-too-far", lambda n: np.tril(_ones(n), 1),
          "The diagonal is one too far: each position also sees the next one."),
    _mask("two-too-far", lambda n: np.tril(_ones(n), 2),
          "The diagonal is two too far: each position also sees the next two."),
    _mask("two-behind", lambda n: np.tril(_ones(n), -2),
          "The triangle starts two below the diagonal: no position sees itself or the one before."),
    _mask("all-allowed", _ones, "Every position sees every other: nothing is blocked."),
    _mask("all-blocked", lambda n: np.zeros((n, n)), "Everything is blocked."),
    _mask("itself-only", np.eye, "Only the diagonal is true: each position sees itself alone."),
    _mask("others-only", lambda n: 1 - np.eye(n),
          "Everything but the diagonal is true: each position sees all others, the future too."),
    *(
        _mask("window", lambda n, w=width: np.tril(_ones(n)) - np.tril(_ones(n), -w - 1),
              f"Each position sees itself and {width} before it, and nothing further back.")
        for width in (1, 2, 3)
    ),
    _mask("first-blocked", lambda n: np.tril(_ones(n)) * (np.arange(n) > 0),
          "The first position can be seen by none: the first column is blocked."),
    _mask("wrong-corner", lambda n: np.fliplr(np.tril(_ones(n))),
          "The triangle is mirrored from left to right."),
    _mask("rows-reversed", lambda n: np.flipud(np.tril(_ones(n))),
          "The rows are in reverse order: the first position sees most."),
    _mask("additive", lambda n: np.where(np.tril(_ones(n)) > 0, 0.0, -np.inf),
          "The mask holds 0 and −∞, to be added to scores; here it holds true or 1 for “may "
          "attend”."),
    _mask("additive", lambda n: np.where(np.tril(_ones(n)) > 0, 0.0, -1e9),
          "The mask holds 0 and −1e9, to be added to scores; here it holds true or 1 for “may "
          "attend”."),
    _mask("one-and-minus-infinity", lambda n: np.where(np.tril(_ones(n)) > 0, 1.0, -np.inf),
          "Blocked entries are −∞; in a mask of true and false they are false (0)."),
    _mask("positions", lambda n: np.tril(_ones(n)) * np.arange(1, n + 1),
          "The entries are numbers of positions; they should be 1 (true) or 0 (false)."),
    _mask("shares", lambda n: np.tril(_ones(n)) / np.arange(1, n + 1)[:, np.newaxis],
          "The entries are shares of a row; they should be 1 (true) or 0 (false)."),
    _mask("one-larger", lambda n: np.tril(_ones(n + 1)),
          "The mask is one larger than the sequence.", SIZE),
    _mask("one-smaller", lambda n: np.tril(_ones(max(n - 1, 0))),
          "The mask is one smaller than the sequence.", SIZE),
    _mask("one-row", lambda n: np.ones(n), "The mask has one row only.", SIZE),
    _mask("fixed-size", lambda n: np.tril(_ones(4)),
          "The mask has 4 rows and columns, whatever seq_len is.", SIZE),
    _mask("fixed-size", lambda n: np.tril(_ones(3)),
          "The mask has 3 rows and columns, whatever seq_len is.", SIZE),
    _mask("fixed-size", lambda n: np.tril(_ones(5)),
          "The mask has 5 rows and columns, whatever seq_len is.", SIZE),
    _mask("two-extra-axes", lambda n: np.tril(_ones(n))[None, None],
          "The mask is right but has two more axes in front, as for a batch and heads.", SIZE),
)  # fmt: skip


def _apply(
    id: str, change: Callable[[Any, Any], Any], finding: str, hints: Hints = WHERE
) -> Misconception:
    """`change(scores, mask)` with the mask as 0.0 and 1.0."""
    return Misconception(
        id, finding, hints, {"masked": lambda s: change(s.scores, np.asarray(s.mask).astype(float))}
    )


def _t(x: Any) -> Any:
    return np.swapaxes(x, -1, -2)


NAN = "NaN (not a number) comes into the scores: from 0 · ∞, or by itself."

APPLY = (
    _apply("mask-ignored", lambda x, m: x, "The scores come back as they were: the mask has no "
           "effect."),
    _apply("mask-inverted", lambda x, m: np.where(m, -np.inf, x),
           "The mask is taken the other way round: scores whose mask is true are blocked, and "
           "here true means “may attend”."),
    _apply("mask-inverted", lambda x, m: np.where(m, -1e9, x),
           "The mask is taken the other way round: scores whose mask is true are blocked, and "
           "here true means “may attend”."),
    _apply("mask-inverted", lambda x, m: x + m * -1e9,
           "The mask is taken the other way round: scores whose mask is true are blocked, and "
           "here true means “may attend”."),
    _apply("mask-transposed", lambda x, m: np.where(_t(m), x, -np.inf),
           "The mask is transposed: queries and keys have changed places in it."),
    _apply("mask-transposed", lambda x, m: np.where(_t(m), x, -1e9),
           "The mask is transposed: queries and keys have changed places in it."),
    _apply("blocked-zero", lambda x, m: np.where(m, x, 0.0),
           "Blocked scores are 0 (or as good as 0), and exp(0) is 1: they still get weight.", LOW),
    *(
        _apply("blocked-not-low", lambda x, m, low=low: np.where(m, x, -low),
               f"Blocked scores are −{low:g}, which is not low enough: they still get weight, at "
               f"least beside some scores.", LOW)
        for low in (0.5, 1, 2, 3, 5, 10, 20, 50, 100, 500)
    ),
    _apply("blocked-large", lambda x, m: np.where(m, x, 1e9),
           "Blocked scores are a large positive number: they get all the weight.", LOW),
    _apply("blocked-plus-infinity", lambda x, m: np.where(m, x, np.inf),
           "Blocked scores are +∞ in place of −∞.", LOW),
    _apply("blocked-nan", lambda x, m: np.where(m, x, np.nan), NAN, LOW),
    _apply("blocked-nan", lambda x, m: x + (1 - m) * -np.inf, NAN, LOW),
    _apply("blocked-nan", lambda x, m: x * m + (1 - m) * -np.inf, NAN, LOW),
    _apply("blocked-smallest", lambda x, m: np.where(m, x, x.min()),
           "Blocked scores are the smallest score there is: they still get weight.", LOW),
    _apply("mask-added", lambda x, m: x + m,
           "The mask of 0 and 1 is added to the scores: it raises the allowed ones by 1."),
    *(
        _apply("lowered", lambda x, m, low=low: x - low * (1 - m),
               f"Blocked scores are lowered by {low:g} only: they still get weight, at least "
               f"beside some scores.", LOW)
        for low in (1, 2, 3, 5, 10, 20, 50, 100)
    ),
    _apply("all-lowered", lambda x, m: x * m - 1e9,
           "1e9 is taken from every score, the allowed ones too."),
    _apply("times-minus-billion", lambda x, m: np.where(m, x, x * -1e9),
           "Blocked scores are multiplied by −1e9: those that were negative become huge.", LOW),
    _apply("sign-turned", lambda x, m: np.where(m, x, -x),
           "Blocked scores have their sign turned round: they still get weight.", LOW),
    _apply("mask-in-place-of-scores", lambda x, m: np.where(m, m, -np.inf),
           "Allowed scores are replaced by the mask's own 1."),
    _apply("mask-returned", lambda x, m: np.broadcast_to(m, x.shape),
           "The mask comes back in place of the scores."),
    _apply("additive-mask-returned",
           lambda x, m: np.broadcast_to(np.where(m, 0.0, -np.inf), x.shape),
           "What comes back is 0 and −∞, and the scores are missing."),
    _apply("additive-mask-returned",
           lambda x, m: np.broadcast_to(np.where(m, 0.0, -1e9), x.shape),
           "What comes back is 0 and −1e9, and the scores are missing."),
    _apply("softmax-taken", lambda x, m: softmax(block(x, m)),
           "What comes back is weights already; the softmax is the next function's work."),
    _apply("softmax-and-zero", lambda x, m: softmax(x) * m,
           "What comes back is weights, with blocked ones set to 0; scores are asked for."),
    _apply("own-causal-mask",
           lambda x, m: np.where(np.tril(np.ones(x.shape[-2:])), x, -np.inf),
           "Whatever mask is given, a causal one acts."),
    _apply("own-causal-mask",
           lambda x, m: np.where(np.tril(np.ones(x.shape[-2:])), x, -1e9),
           "Whatever mask is given, a causal one acts."),
    _apply("diagonal-blocked", lambda x, m: np.where(m * (1 - np.eye(*x.shape[-2:])), x, -np.inf),
           "The diagonal is blocked too, even where the mask is true."),
    _apply("scaled-too", lambda x, m: np.where(m, x / np.sqrt(x.shape[-1]), -np.inf),
           "Allowed scores are divided by the root of the number of keys; they should stay as "
           "they are."),
    _apply("allowed-zero", lambda x, m: np.where(m, 0.0, x),
           "The mask is taken the other way round, and the scores whose mask is true become 0."),
    Misconception(
        "boolean-masks-only",
        "A mask of True and False is right; one of 0 and 1 has no effect.",
        WHERE,
        {"masked": lambda s: block(s.scores, s.mask) if s.mask.dtype == bool else s.scores},
    ),
)  # fmt: skip


def _stack(s: Any) -> Any:
    return s.masked - s.masked.max(axis=-1, keepdims=True)


def _mask_of(s: Any) -> Any:
    return np.asarray(s.mask).astype(float)


WEIGHTS = (
    Misconception(
        "scaled-again",
        "The scores are divided by √d once more, with d the number of keys; they are already "
        "scaled.",
        BEFORE,
        {"masked": lambda s: block(s.scores / np.sqrt(s.scores.shape[-1]), s.mask)},
    ),
    Misconception(
        "scaled-again-by-keys",
        "The scores are divided by the number of keys; they are already scaled.",
        BEFORE, {"masked": lambda s: block(s.scores / s.scores.shape[-1], s.mask)},
    ),
    Misconception(
        "mask-after-softmax",
        "The mask acts after the softmax: blocked weights are 0, but the rest of the row no longer "
        "sums to 1.",
        BEFORE, {"masked": lambda s: s.scores, "weights": lambda s: softmax(s.scores) * _mask_of(s)},
    ),
    Misconception(
        "low-number-in-weights",
        "The mask acts after the softmax: blocked weights are −∞ or −1e9 in place of 0.",
        BEFORE,
        {"masked": lambda s: s.scores,
         "weights": lambda s: np.where(_mask_of(s), softmax(s.scores), -np.inf)},
    ),
    Misconception(
        "low-number-in-weights",
        "The mask acts after the softmax: blocked weights are −∞ or −1e9 in place of 0.",
        BEFORE,
        {"masked": lambda s: s.scores,
         "weights": lambda s: np.where(_mask_of(s), softmax(s.scores), -1e9)},
    ),
    Misconception(
        "softmax-over-queries",
        "The softmax runs over the queries (axis −2): the columns sum to 1, not the rows.",
        BEFORE, {"weights": lambda s: softmax(s.masked, -2)},
    ),
    Misconception(
        "softmax-over-axis-0",
        "The softmax runs along axis 0, not along the keys.",
        BEFORE, {"weights": lambda s: softmax(s.masked, 0)},
    ),
    Misconception(
        "softmax-over-axis-1",
        "The softmax runs along axis 1: over the queries where there is a batch.",
        BEFORE, {"weights": lambda s: softmax(s.masked, 1)},
    ),
    Misconception(
        "softmax-over-everything",
        "One softmax runs over the whole array: all weights together sum to 1, and no row does.",
        BEFORE, {"weights": lambda s: softmax(s.masked, None)},  # type: ignore[arg-type]
    ),
    Misconception(
        "no-softmax", "There is no softmax: the masked scores come back.",
        BEFORE, {"weights": lambda s: s.masked},
    ),
    Misconception(
        "exponentials-only", "The exponentials are not divided by their sum.",
        BEFORE, {"weights": lambda s: np.exp(s.masked)},
    ),
    Misconception(
        "exponentials-only", "The masked exponentials are not divided by their sum.",
        BEFORE,
        {"masked": lambda s: s.scores,
         "weights": lambda s: np.exp(s.scores - s.scores.max(-1, keepdims=True)) * _mask_of(s)},
    ),
    Misconception(
        "shifted-exponentials-only",
        "The largest weight of each row is 1: the exponentials are not divided by their sum.",
        BEFORE, {"weights": lambda s: np.exp(_stack(s))},
    ),
    Misconception(
        "softmax-not-stable",
        "Right for small scores; large ones overflow, as in a softmax that exponentiates its "
        "scores as they are.",
        (
            "What is np.exp(1000)? And what is infinity divided by infinity?",
            "With the largest score of a row taken away from the row, no exponential is above 1.",
            "Before you exponentiate, subtract the maximum of each row, with keepdims=True.",
        ),
        {"weights": lambda s: np.exp(s.masked) / np.exp(s.masked).sum(-1, keepdims=True)},
    ),
    Misconception(
        "sum-without-keepdims",
        "The exponentials are divided by sums that have lost their axis, so that each sum divides "
        "the wrong entries.",
        BEFORE, {"weights": lambda s: np.exp(_stack(s)) / np.exp(_stack(s)).sum(-1)},
    ),
    Misconception(
        "largest-of-all",
        "The maximum of the whole array is subtracted, and rows far below it vanish.",
        BEFORE,
        {"weights": lambda s: np.exp(s.masked - s.masked.max())
         / np.exp(s.masked - s.masked.max()).sum(-1, keepdims=True)},
    ),
    Misconception(
        "blocked-in-the-sum",
        "Blocked weights are 0, but the sum that divides still counts the blocked scores.",
        BEFORE,
        {"masked": lambda s: s.scores,
         "weights": lambda s: np.exp(s.scores) * _mask_of(s)
         / np.exp(s.scores).sum(-1, keepdims=True)},
    ),
    Misconception(
        "base-2", "Your weights are those of powers of 2 in place of powers of e.",
        BEFORE, {"weights": lambda s: softmax(s.masked * np.log(2))},
    ),
    Misconception(
        "softmax-twice", "Your weights are a softmax of a softmax.",
        BEFORE, {"weights": lambda s: softmax(softmax(s.masked))},
    ),
    Misconception(
        "softmax-then-mask-then-softmax",
        "A softmax is taken of weights that were set to 0 after a first softmax.",
        BEFORE,
        {"masked": lambda s: s.scores,
         "weights": lambda s: softmax(softmax(s.scores) * _mask_of(s))},
    ),
    Misconception(
        "equal-weights", "All allowed weights of a row are equal: the scores take no part.",
        BEFORE, {"weights": lambda s: softmax(block(0 * s.scores, s.mask))},
    ),
    Misconception(
        "no-exponential", "The masked scores are divided by their sum without an exponential.",
        BEFORE, {"weights": lambda s: s.scores * _mask_of(s)
                 / (s.scores * _mask_of(s)).sum(-1, keepdims=True)},
    ),
)  # fmt: skip

# What `apply_mask` does wrong, done inside this function. Two of its mistakes, a missing softmax
# apart, end at the same weights here, so only one of each such group stays.
_SAME_HERE = {"additive-mask-returned", "mask-added", "blocked-plus-infinity", "mask-returned",
              "mask-in-place-of-scores", "all-lowered", "softmax-taken", "softmax-and-zero",
              "scaled-too", "allowed-zero", "blocked-not-low", "lowered"}  # fmt: skip
_NOT_BELOW_ALL = tuple(
    _apply("blocked-not-below-all", change,
           "Blocked scores are low for most scores and not below every one: next to scores such "
           "as −900 a blocked position still gets weight.", LOW)
    for low in (20, 50, 100, 500)
    for change in (lambda x, m, low=low: np.where(m, x, -low),
                   lambda x, m, low=low: x - low * (1 - m))
)  # fmt: skip
_STILL_WEIGH = tuple(
    _apply(id, change, finding, LOW)
    for low in (0.5, 1, 2, 3, 5, 10)
    for id, change, finding in (
        ("blocked-not-low", lambda x, m, low=low: np.where(m, x, -low),
         f"Blocked scores are −{low:g}, which is not low enough: they still get weight."),
        ("lowered", lambda x, m, low=low: x - low * (1 - m),
         f"Blocked scores are lowered by {low:g} only: they still get weight."),
    )
)  # fmt: skip
IN_WEIGHTS = (
    *(each for each in APPLY if each.id not in _SAME_HERE),
    *_NOT_BELOW_ALL,
    *_STILL_WEIGH,
)


def _count(id: str, make: Callable[[int], Any], finding: str) -> Misconception:
    return Misconception(id, finding, COUNT, {"counts": lambda s: make(s.seq_len)})


COUNTS = (
    _count("from-zero", lambda n: list(range(n)),
           "The counts start at 0: each query sees itself too."),
    _count("from-two", lambda n: list(range(2, n + 2)),
           "The counts start at 2: one more than each query sees."),
    _count("reversed", lambda n: list(range(n, 0, -1)),
           "The counts are in reverse order: they are those of the columns, or of a mask that "
           "sees the future."),
    _count("reversed-from-zero", lambda n: list(range(n - 1, -1, -1)),
           "The counts are those of the future: how many positions each query does not see."),
    _count("all-of-them", lambda n: [n] * n, "Every query is said to see all positions."),
    _count("one-each", lambda n: [1] * n, "Every query is said to see one position only."),
    _count("total", lambda n: n * (n + 1) // 2,
           "The result is one number, the total; a count for each query is asked for."),
    _count("total-in-a-list", lambda n: [n * (n + 1) // 2],
           "The result is one number, the total; a count for each query is asked for."),
    _count("last-only", lambda n: n,
           "The result is one number, what the last query sees; a count for each query is asked "
           "for."),
    _count("running-total", lambda n: np.cumsum(np.arange(1, n + 1)).tolist(),
           "The counts are added up from query to query: 1, 3, 6, and so on."),
    _count("one-too-many", lambda n: list(range(1, n + 2)),
           "There is one count too many at the end."),
    _count("last-missing", lambda n: list(range(1, n)), "The count of the last query is missing."),
    _count("first-too-early", lambda n: list(range(n + 1)),
           "There is one count too many, a 0 at the front."),
    _count("shares", lambda n: [(i + 1) / n for i in range(n)],
           "The results are shares of the sequence; whole counts are asked for."),
    _count("rows", lambda n: np.tril(np.ones((n, n))).astype(int).tolist(),
           "The rows of the mask come back; how many entries of each are true is asked for."),
    _count("next-seen-too", lambda n: [min(i + 2, n) for i in range(n)],
           "Each query is said to see the next position too."),
    _count("positions", lambda n: [list(range(i + 1)) for i in range(n)],
           "The visible positions are listed; how many there are is asked for."),
)  # fmt: skip


def create_probes(draw: int) -> Sequence[Probe]:
    return [Probe((size,)) for size in ((2, 3, 4, 1, 5, 7) if draw == 0 else (6, 9, 8, 1, 10, 11))]


def scores_and_masks(draw: int) -> Sequence[Probe]:
    """Scores that are already scaled, with masks of every kind."""
    rng = np.random.default_rng([40, draw])

    def scores(*sizes: int) -> Any:
        return rng.normal(scale=2.0, size=sizes)

    rows = np.array([[1, 0, 1, 1], [0, 1, 0, 1], [1, 1, 0, 0]])
    square = np.array([[True, False, True], [True, True, False], [False, True, True]])
    return [
        Probe((np.array([[1.0, 5.0], [2.0, 3.0]]) + draw, causal_mask(2))),
        Probe((scores(3, 3), causal_mask(3))),
        Probe((scores(4, 4), causal_mask(4))),
        Probe((scores(3, 3), square)),
        Probe((scores(3, 4), rows.astype(bool))),
        Probe((scores(2, 5, 5), causal_mask(5))),
        Probe((scores(3, 3, 3), square)),
        Probe((scores(2, 3, 4, 4), causal_mask(4))),
        Probe((scores(3, 4), rows)),
        Probe((scores(2, 3, 4), rows.astype(float))),
        Probe((scores(2, 3, 4), rows[:1].astype(bool))),
        Probe((scores(2, 3, 4), np.stack([rows, rows[::-1]]).astype(bool))),
        Probe((np.where(causal_mask(3), 800.0 + draw, 10.0), causal_mask(3)), condition=1e3),
        Probe((np.array([[900.0, 0.0], [-900.0, -899.0 - draw]]), causal_mask(2)), condition=1e3),
        Probe((np.array([[950.0, 9.0], [-950.0, -948.0 - draw]]), causal_mask(2)), condition=1e3),
        Probe((np.array([[-900.0, 5.0], [-800.0, -800.0 + draw]]), causal_mask(2)), condition=1e3),
        Probe((np.array([[-700.0, 9.0], [7.0, 5.0 + draw]]), causal_mask(2)), condition=1e3),
    ]


MASK_TRAITS = (
    Trait(lambda s: s.scores.ndim > 2, "with batch axes", "without a batch axis"),
    Trait(
        lambda s: s.mask.dtype != bool, "with a mask of 0 and 1", "with a mask of True and False"
    ),
    Trait(
        lambda s: s.mask.shape != s.scores.shape,
        "with a mask that has to be stretched to the scores",
        "with a mask of the scores' own shape",
    ),
    Trait(
        lambda s: s.scores.shape[-1] != s.scores.shape[-2],
        "where there are more keys than queries",
        "where there are as many keys as queries",
    ),
    Trait(lambda s: bool(np.abs(s.scores).max() > 100), "for large scores", "for small scores"),
)


def _allowed(s: Any) -> Any:
    return np.broadcast_to(_mask_of(s), s.scores.shape) > 0


APPLY_FACTS = (
    Fact("allowed-changed", lambda s, v: not np.allclose(v[_allowed(s)], s.scores[_allowed(s)]),
         "Scores that the mask allows do not come out as they went in."),
    Fact("blocked-kept", lambda s, v: bool((v[~_allowed(s)] > -1e3).any()),
         "Blocked scores are not low enough to end at weight 0."),
)  # fmt: skip
WEIGHT_FACTS = (
    Fact("nan", lambda s, v: bool(np.isnan(v).any()), "There are NaN (not a number) among them."),
    Fact("blocked-get-weight", lambda s, v: bool((np.abs(v[~_allowed(s)]) > 1e-6).any()),
         "Blocked positions still get weight."),
    Fact("columns", lambda s, v: bool(np.allclose(v.sum(-2), 1.0, atol=1e-6)),
         "The columns of your weights sum to 1, and the rows should."),
    Fact("rows", lambda s, v: not np.allclose(v.sum(-1), 1.0, atol=1e-5),
         "The rows of your weights do not sum to 1."),
)  # fmt: skip
MASK_FACTS = (
    Fact("shape", lambda s, v: v.shape != s.mask.shape,
         "The mask has to have seq_len rows and seq_len columns."),
    Fact("values", lambda s, v: not np.isin(v, (0, 1)).all(),
         "There are other values than true and false (1 and 0) in it."),
    Fact("future", lambda s, v: bool((np.triu(v, 1) != 0).any()) and v.size > 1,
         "Some positions may see the future: there are true entries above the diagonal."),
    Fact("past", lambda s, v: bool((v[causal_mask(len(v))] == 0).any()),
         "Some positions may not see themselves or their past: there are false entries on or "
         "below the diagonal."),
)  # fmt: skip


def axes(state: Any) -> dict[str, int]:
    """The sizes by name."""
    sizes = {f"B{i or ''}": size for i, size in enumerate(state.scores.shape[:-2])}
    return sizes | {"L_q": state.scores.shape[-2], "L_k": state.scores.shape[-1]}


APPLY_STEPS = {"masked": lambda s: block(s.scores, s.mask)}

RECIPES = {
    "create_causal_mask": Recipe(
        "create_causal_mask",
        ("seq_len",),
        {"mask": lambda s: causal_mask(s.seq_len)},
        create_probes,
        CREATE,
        facts=MASK_FACTS,
        traits=(Trait(lambda s: s.seq_len > 4, "for long sequences", "for short ones"),),
    ),
    "apply_mask": Recipe(
        "apply_mask",
        ("scores", "mask"),
        APPLY_STEPS,
        scores_and_masks,
        APPLY,
        traits=MASK_TRAITS,
        facts=APPLY_FACTS,
        axes=axes,
    ),
    "masked_attention_weights": Recipe(
        "masked_attention_weights",
        ("scores", "mask"),
        {**APPLY_STEPS, "weights": lambda s: softmax(s.masked)},
        scores_and_masks,
        (*IN_WEIGHTS, *WEIGHTS),
        styles=(
            {"masked": lambda s: np.where(_mask_of(s), s.scores, -1e9)},
            {"masked": lambda s: s.scores + (1 - _mask_of(s)) * -1e9},
        ),
        traits=MASK_TRAITS,
        facts=WEIGHT_FACTS,
        axes=axes,
    ),
    "count_visible": Recipe(
        "count_visible",
        ("seq_len",),
        {"counts": lambda s: count_visible(s.seq_len)},
        create_probes,
        COUNTS,
    ),
}
