"""Checks of `multi_head_reshape`: `split_heads` and `merge_heads`."""

import numpy as np
import pytest

from autograder.author import (
    Mismatch,
    expect_close,
    expect_error,
    expect_follows,
    expect_independent_calls,
    expect_shape,
    expect_unchanged_arguments,
)

# (B, L, E, H): B, L, H and E/H all differ.
SIZES = ((1, 2, 6, 3), (2, 3, 20, 4), (3, 4, 10, 5), (2, 5, 3, 1), (4, 1, 12, 6))

# Shapes and numbers of heads with the remainders 2, 1, 6, 3 and 6.
MISFITS = (((2, 3, 10), 4), ((2, 3, 13), 4), ((1, 5, 34), 7), ((3, 2, 9), 6), ((1, 2, 6), 14))


def counted(*shape):
    """Return 1, 2, 3, … in this shape. Then a 0 in a result is no number of the input."""
    return np.arange(1.0, np.prod(shape) + 1).reshape(shape)


def misfits(rng):
    """Yield numbers of heads and features that do not fit, with all remainders for some."""
    heads = int(rng.integers(5, 9))
    times = rng.integers(2, 6, size=heads)
    pairs = [(heads, int(times[left]) * heads + left) for left in range(1, heads)]
    return [*pairs, (heads, int(rng.integers(1, heads)))]  # and fewer features than heads


def refuses(submission, heads, features):
    """Return True if split_heads itself raises a ValueError for sizes that do not fit."""
    try:
        x = np.zeros((2, 3, features))
        expect_error(submission.split_heads, x, heads, type="ValueError", naming=(features, heads))
    except Mismatch:
        return False
    return True


def agree(answer, right):
    """Return True if an answer has the right values."""
    try:
        expect_close(answer, right)
    except Mismatch:
        return False
    return True


def rows_named(x, *axes):
    """Return one row for each place along all axes but the last, and the rows' names."""
    places = np.ndindex(x.shape[:-1])
    used = [axis for axis in enumerate(axes) if axis[0] or len(x) > 1]
    names = [", ".join(f"{word} {place[axis]}" for axis, word in used) for place in places]
    return x.reshape(-1, x.shape[-1]), tuple(names)


def groups_of(rows, group):
    """Return the group of each number by its place in `counted`. For other numbers, return -1."""
    is_counted = (rows >= 1) & (rows <= rows.size) & (rows == np.round(rows))
    return np.where(is_counted, group(np.nan_to_num(rows).astype(int) - 1), -1)


def by_head(features, heads):
    """Return a layout of (B, H, L, d): one row for each sequence, head and position."""

    def layout(x):
        rows, names = rows_named(x, "sequence", "head", "position")
        return rows, groups_of(rows, lambda place: place % features // (features // heads)), names

    return layout


def by_token(features, heads):
    """Return a layout of (B, L, E).

    The layout has one row per token. The group of each number is its head.
    """

    def layout(x):
        rows, names = rows_named(x, "sequence", "position")
        size = x.shape[1] * (features // heads)
        return rows, groups_of(rows, lambda place: place // size % heads), names

    return layout


@pytest.mark.check(
    "split_heads: the shape is (B, H, L, E/H)",
    points=1,
    grades=["split"],
    hints=(
        "Which axis comes second in the result: the heads or the positions?",
        "Cut the features (the last axis) into H parts of E/H. Then move the heads forward.",
        "Reshape to (B, L, H, E // H) first, then exchange the axes of L and H.",
    ),
)
def test_split_shape(submission):
    for batch, length, features, heads in SIZES:
        x = counted(batch, length, features)
        size = (batch, heads, length, features // heads)
        expect_shape(submission.split_heads(x, heads), size, "the result")


@pytest.mark.check(
    "split_heads: each head gets its own block of features, of every token",
    points=3,
    grades=["split"],
    needs=["test_split_shape"],
    hints=(
        "Which features of which tokens are in head 0?",
        "Head h has the features h·E/H to (h+1)·E/H − 1 of each token. A reshape keeps the order "
        "of the numbers, so a reshape alone cannot move the heads in front of the positions.",
        "Use x.reshape(B, L, H, E // H), then .transpose(0, 2, 1, 3).",
    ),
)
def test_split_values(submission, reference):
    for batch, length, features, heads in SIZES:
        x = counted(batch, length, features)
        expect_close(
            submission.split_heads(x, heads),
            reference.split_heads(x, heads),
            layout=by_head(features, heads),
            groups="head",
        )
    decimals = counted(1, 2, 4) / 4
    expect_close(submission.split_heads(decimals, 2), reference.split_heads(decimals, 2))


@pytest.mark.check(
    "split_heads: a number of heads that does not fit raises a ValueError that names both numbers",
    points=2,
    grades=["error"],
    hints=(
        "When should the function raise a ValueError, and which two numbers should be in its text?",
        "The function itself checks whether E is a multiple of H. If not, the text of its "
        "ValueError names both numbers.",
        'Write if E % num_heads != 0: raise ValueError(f"… {E} … {num_heads} …")',
    ),
)
def test_split_error(submission):
    if refuses(submission, 2, 6):
        raise Mismatch("split_heads raises its ValueError also for 6 features and 2 heads.")
    # sizes for which NumPy's own message cannot contain both numbers by chance
    for shape, heads in MISFITS:
        expect_error(
            submission.split_heads,
            np.zeros(shape),
            heads,
            type="ValueError",
            naming=(shape[-1], heads),
        )


@pytest.mark.check(
    "merge_heads: the shape is (B, L, H·d)",
    points=1,
    grades=["merge"],
    hints=(
        "Which axes of the input become the features again?",
        "Move the axis of the heads back behind the positions. Then join the last two axes.",
        "Exchange the axes of H and L first, then reshape to (B, L, H * d).",
    ),
)
def test_merge_shape(submission):
    for batch, length, features, heads in SIZES:
        x = counted(batch, heads, length, features // heads)
        expect_shape(submission.merge_heads(x), (batch, length, features), "the result")


@pytest.mark.check(
    "merge_heads: each token gets its own features back, head after head",
    points=3,
    grades=["merge"],
    needs=["test_merge_shape"],
    hints=(
        "Which numbers belong in the first row of the result, and in which order?",
        "A row of the result is one token: first its features from head 0, then its features from "
        "head 1, and so on.",
        "Use x.transpose(0, 2, 1, 3) before the reshape. A reshape alone mixes the tokens.",
    ),
)
def test_merge_values(submission, reference):
    for batch, length, features, heads in SIZES:
        x = counted(batch, heads, length, features // heads)
        expect_close(
            submission.merge_heads(x),
            reference.merge_heads(x),
            layout=by_token(features, heads),
            groups="head",
        )


@pytest.mark.check(
    "merge_heads after split_heads, and no side effects",
    points=1,
    grades=["merge", "no side effects"],
    needs=["test_split_shape", "test_merge_shape"],
    hints=(
        "Which numbers of x have another place or another value in your result?",
        "Merging undoes the steps of splitting, the last step first. Neither function changes a "
        "number.",
        "To split, reshape and then transpose. To merge, transpose and then reshape.",
    ),
)
def test_round_trip(submission, reference, rng, note, grading):
    grading("no side effects")
    x, other = rng.normal(size=(2, 2, 3, 4))
    apart, others = rng.normal(size=(2, 2, 2, 3, 2))
    calls = [
        ("split_heads", lambda s: s.split_heads(x, 2)),
        ("merge_heads", lambda s: s.merge_heads(apart)),
    ]
    between = [lambda s: s.split_heads(other, 2), lambda s: s.split_heads(other, 4)]
    expect_independent_calls(submission.fresh(), calls, [*between, lambda s: s.merge_heads(others)])
    pairs = []
    for batch, length, features, heads in SIZES:
        x = rng.normal(size=(batch, length, features))
        size = (batch, heads, length, features // heads)
        grading("no side effects")
        names = ["x", "num_heads"]
        apart = expect_unchanged_arguments(submission.split_heads, names, x, heads)
        grading("merge")
        pairs.append((x, heads, expect_shape(apart, size, "the result")))
    unaware = submission.fresh()  # has seen no x that it could return
    for x, heads, apart in pairs:
        grading("no side effects")
        back = expect_unchanged_arguments(unaware.merge_heads, ["x"], apart)
        grading("merge")
        following = lambda _, apart=apart: reference.merge_heads(apart)
        what = "what comes back"
        expect_follows(back, x, following, what, note, "split_heads", unaware)
        if np.allclose(back, x) and not agree(apart, reference.split_heads(x, heads)):
            note("The two functions undo each other, but split_heads is wrong.")


@pytest.mark.hidden
@pytest.mark.check(
    "Other sizes, and independent calls",
    points=1,
    grades=["sizes", "error", "no side effects"],
    needs=["test_split_values"],
)
def test_other_sizes(submission, reference, rng, grading):
    x = rng.normal(size=(5, 7, 24))
    grading("sizes")
    for heads in (1, 2, 8, 24):
        expect_close(submission.split_heads(x, heads), reference.split_heads(x, heads))
    drawn = [
        (heads, *rng.integers(1, 9, size=3).tolist())
        for heads in rng.choice(np.arange(2, 14), size=3, replace=False).tolist()
    ]
    alike = [(3, 2, 3, 4), (2, 1, 1, 3), (4, 4, 4, 4)]  # as many heads as positions, and so on
    for heads, batch, length, size in (*drawn, *alike):
        more = rng.normal(size=(batch, length, heads * size))
        apart = reference.split_heads(more, heads)
        expect_close(submission.split_heads(more, heads), apart)
        expect_close(submission.merge_heads(apart), more)
    if refuses(submission, 4, 10):  # one mistake costs once
        grading("error")
        for heads, features in misfits(rng):
            assert refuses(submission, heads, features), (
                "If the features cannot be shared equally among the heads, the function should "
                "raise its own ValueError. For some numbers of heads, it does not."
            )
    grading("sizes")
    apart = reference.split_heads(x, 4)
    expect_close(submission.merge_heads(apart), x)
    grading("no side effects")
    calls = [
        ("split_heads", lambda s: s.split_heads(x, 4)),
        ("merge_heads", lambda s: s.merge_heads(apart)),
    ]
    between = [lambda s: s.split_heads(x + 1, 4), lambda s: s.split_heads(x[:2] + 1, 8)]
    between += [lambda s: s.merge_heads(apart + 1), lambda s: s.merge_heads(apart[:, :2] - 1)]
    expect_independent_calls(submission, calls, between)
