"""Checks of `self_attention`."""

from contextlib import suppress

import numpy as np
import pytest

from autograder.author import (
    Mismatch,
    NotJudged,
    Raised,
    draw_state,
    expect_close,
    expect_follows,
    expect_parts,
    expect_results,
    expect_shape,
    expect_stateless,
    expect_unchanged_tensors,
)
from reference.asking import Asked, usual_batch
from reference.dropout import dropout_hints, same_draw, weights_in, what_dropout_did
from reference.following import own_self_attention
from reference.large_scores import (
    about_large_scores,
    compare_low,
    expect_finite,
    with_scores_up_to,
)
from reference.mask_shapes import broadcast_masks
from reference.masks import causal_mask

BARE, WHOLE = "ScaledDotProductAttention", "SelfAttention"
BARE_NAMES = {"input 0": "query", "input 1": "key", "input 2": "value"}
WHOLE_NAMES = {"input 0": "x"}
MATRICES = ("W_q", "W_k", "W_v", "W_o")
OF_NO_MASK = (
    "Which keys does each query attend to in a call without a mask?",
    "Without a mask, each query attends to every key. The module adds no mask of its own.",
    "Look for a line that makes a mask, such as torch.tril.",
)


@pytest.fixture
def bare(submission, modules):
    rng = np.random.default_rng(1)
    first = tuple(((), draw(rng, batch, 3, 4, 2, 5), {}) for batch in ((2,), ()))
    return Asked(submission, modules.without_dropout, BARE, first, still=(0.0,))


@pytest.fixture
def whole(submission, modules):
    rng = np.random.default_rng(1)
    first = tuple(((4,), draw_x(rng, *batch, 3, 4), state_of(rng, 4)) for batch in ((2,), ()))
    return Asked(submission, modules.SelfAttention, WHOLE, first)


def draw(rng, batch, l_q, l_k, d_k, d_v):
    sizes = ((*batch, l_q, d_k), (*batch, l_k, d_k), (*batch, l_k, d_v))
    return tuple(rng.normal(size=size).astype(np.float32) for size in sizes)


def draw_x(rng, *sizes):
    return (rng.normal(size=sizes).astype(np.float32),)


def bare_batch(bare, rng, note):
    return usual_batch(bare, rng, lambda batch: draw(rng, batch, 3, 4, 2, 5), (), {}, note)


def whole_batch(whole, rng, note):
    state = state_of(rng, 4)
    return usual_batch(whole, rng, lambda batch: draw_x(rng, *batch, 3, 4), (4,), state, note)


def state_of(rng, d_model, d_k=None, d_v=None):
    d_k, d_v = d_k or d_model, d_v or d_model
    return draw_state(
        rng,
        {
            "W_q.weight": (d_k, d_model),
            "W_k.weight": (d_k, d_model),
            "W_v.weight": (d_v, d_model),
            "W_o.weight": (d_model, d_v),
        },
    )


def compare_whole(whole, bare, made_with, inputs, state, note):
    """Pass if SelfAttention is right, or follows from the student's own attention."""
    try:
        follow_whole(whole, bare, made_with, inputs, state, note)
    except (Mismatch, NotJudged) as error:
        with suppress(NotJudged):  # in a student kit, report the first error
            whole.expect_not_random(made_with, inputs, state)
        wrong = error if isinstance(error, Mismatch) else getattr(error, "wrong", None)
        if wrong is not None and has_causal_weights(whole, made_with, inputs, state):
            wrong.requirement, wrong.hints = "as in part 1", OF_NO_MASK
        raise


def has_causal_weights(whole, made_with, inputs, state):
    """Return True if exactly the weights above the diagonal are 0 in a call without a mask."""
    causal = causal_mask(inputs[0].shape[-2])
    with suppress(Mismatch, Raised, NotJudged, TypeError, ValueError):
        run = whole.of(whole.submission.aside()).run(made_with, inputs, state)
        weights = np.asarray(whole.answers(run.value)[1], dtype=float)
        is_alike = weights.shape[-2:] == causal.shape != (1, 1)
        return is_alike and ((weights != 0) == causal).all()
    return False


def follow_whole(whole, bare, made_with, inputs, state, note):
    run = whole.run(made_with, inputs, state)
    right = whole.right_beside(run, made_with, inputs).value
    answers = whole.answers(run.value, right)
    for place, (answer, expected, what) in enumerate(zip(answers, right, whole.what, strict=True)):
        if answer is None and place:
            note(
                "This check judged only the output, because the weights are missing or have "
                "another shape."
            )
            continue
        expect_follows(
            answer,
            expected,
            lambda steps, place=place: own_self_attention(steps, bare, inputs, run.state, place),
            what,
            note,
            BARE,
            whole.submission,
            condition=20.0,
        )


@pytest.mark.check(
    "ScaledDotProductAttention: two results, no dropout in evaluation",
    points=1,
    grades=["values", "evaluation"],
    hints=(
        "How does your module know that model.eval() was called?",
        "nn.Dropout knows whether the module is in training. F.dropout needs "
        "training=self.training.",
        "Keep an nn.Dropout(dropout) in __init__, and return the output and the weights, in this "
        "order.",
    ),
)
def test_bare_results(bare, rng, note, grading):
    batch = bare_batch(bare, rng, note)
    inputs = draw(rng, batch, 3, 4, 2, 5)
    run = bare.run((), inputs, {})
    grading("values")
    output, weights = expect_results(run.value, ("output", "weights"), BARE)
    expect_shape(output, (*batch, 3, 5), "the output")
    expect_shape(weights, (*batch, 3, 4), "the weights")
    grading("evaluation")
    bare.expect_not_random((0.5,), inputs, {})


@pytest.mark.check(
    "ScaledDotProductAttention: the values",
    points=1,
    grades=["values"],
    hints=(
        "In your module, which steps lead from the query and the key to the output?",
        "Divide the scores by √d_k. Take a softmax over the last axis. Multiply the weights by "
        "the values.",
        "key.transpose(-2, -1) swaps the last two axes. d_k is key.size(-1).",
    ),
)
def test_bare_values(bare, rng, note):
    batch = bare_batch(bare, rng, note)
    for sizes in ((3, 4, 2, 5), (4, 3, 5, 1), (2, 5, 9, 4)):
        bare.compare((), draw(rng, batch, *sizes), {})


@pytest.mark.check(
    "ScaledDotProductAttention: any number of batch axes, or none",
    points=1,
    grades=["batch axes and sizes"],
    hints=(
        "Which of your operations depend on the number of axes?",
        "The last two axes are the axes of the matrices. All axes before them stay as they are.",
        "key.transpose(-2, -1), softmax(dim=-1) and @ work for any number of batch axes.",
    ),
)
def test_bare_axes(bare, rng, note):
    cases = [(draw(rng, batch, 3, 4, 2, 5), {}) for batch in ((), (2,), (2, 3), (2, 1, 3))]
    bare.compare_each((), cases, note)


@pytest.mark.check(
    "ScaledDotProductAttention: a mask of True and False, or of 0 and 1",
    points=2,
    grades=["masks"],
    hints=(
        "What does your code do to a score whose mask entry is False?",
        "Blocked weights must be 0, and each row must still sum to 1. So the mask has to act on "
        "the scores, not on the weights.",
        "scores.masked_fill(mask == 0, float('-inf')) is right for every kind of mask. ~mask is "
        "right only for a mask of type bool.",
    ),
)
def test_bare_mask(bare, rng, note):
    mask = np.array(
        [[True, False, True, True], [False, True, False, True], [True, True, True, False]]
    )
    batch = bare_batch(bare, rng, note)
    each = [np.stack([mask, mask[::-1]])] if batch else []
    for allowed in (mask, mask.astype(int), mask.astype(np.float32), mask[:1], *each):
        bare.compare_masked((), draw(rng, batch, 3, 4, 5, 2), allowed, {}, note)
    # as many queries as sequences, as many heads as sequences, and neither
    for axes, allowed in (((3,), mask), ((2, 2), np.stack([mask, mask[::-1]])), ((), mask)):
        inputs = draw(rng, axes, 3, 4, 5, 2)
        if len(axes) == len(batch) or bare.is_comparable((), inputs, {}, note):
            bare.compare_masked((), inputs, allowed, {}, note)
    for axes in ((), (2,), (2, 3)):
        inputs = draw(rng, axes, 3, 4, 5, 2)
        masks = list(broadcast_masks(rng, *axes, 3, 4))
        for allowed in masks if bare.is_comparable((), inputs, {}, note) else ():
            bare.compare((), (*inputs, allowed), {})
    query, key = np.eye(2, dtype=np.float32), np.array([[1, 1], [0, 2], [2, 0]], np.float32)
    inputs = tuple(
        np.broadcast_to(each, (*batch, *each.shape)).copy() for each in (query, key, key)
    )
    allowed = np.array([[True, True, False], [True, False, True]])  # some allowed scores are 0
    bare.compare_masked((), inputs, allowed, {}, note)


@pytest.mark.check(
    "ScaledDotProductAttention: dropout acts on the weights in training",
    points=3,
    grades=["dropout"],
    hints=(
        "To which numbers does your code apply dropout, and which numbers does it return?",
        "Multiply the weights after dropout by the values. Return the weights before dropout.",
        "Give the weights after dropout another name, or return self.dropout(weights) @ value, "
        "weights.",
    ),
)
def test_dropout(bare, rng, note):
    batch = bare_batch(bare, rng, note)
    query, key = draw(rng, (8,) if batch else (), 32, 16, 4, 1)[:2]
    query, key = query / 4, key / 4  # so that no weight is near 0 before dropout
    eye = np.eye(16, dtype=np.float32)
    value = np.concatenate([eye, eye], axis=1)
    value = np.broadcast_to(value, (*query.shape[:-2], 16, 32)).copy()
    plain = (query, key, value)
    masked = (*plain, np.ones((1, 16), bool))
    is_alike = is_alike_with_a_mask(bare, plain, masked)
    if not is_alike:
        note(
            "This check judged your code without a mask. With a mask that blocks nothing, your "
            "code does not give the result that it gives without a mask."
        )
    for made_with in ((0.5,), (0.2,), (0.0,), ()):
        has_mask = made_with == (0.2,) and is_alike
        inputs = masked if has_mask else plain
        answer, found = dropout_in(bare, made_with, inputs)
        if found is not None:
            raise wrong_dropout(bare, made_with, found, has_mask, plain if has_mask else masked)
        for other in ({"before": (inputs,)}, {"seed": 4}):
            details = {"training": True, "seed": 3} | other
            if made_with != (0.0,) and same_draw(
                answer, np.asarray(bare.output(made_with, inputs, {}, **details))
            ):
                raise Mismatch(
                    "In training, two calls drop exactly the same weights. Each call should "
                    "sample again which weights it drops.",
                    mistake="dropout-always-the-same",
                    separate=True,
                    hints=dropout_hints("dropout-always-the-same"),
                )


def is_alike_with_a_mask(bare, plain, masked):
    """Return True if the student's output in evaluation is the same with and without a mask."""
    still = (0.0,)
    with suppress(Mismatch, Raised):
        return np.allclose(bare.output(still, plain, {}), bare.output(still, masked, {}), atol=1e-5)
    return False


def wrong_dropout(bare, made_with, found, has_mask, inputs):
    """Return the error for a mistake in dropout.

    It says if the call has a mask, unless `inputs`, which differ in this, show the same mistake.
    """
    if not made_with:
        return Mismatch(
            f"{BARE}() drops another share of the weights than {BARE}(0.1). The default of "
            "dropout should be 0.1.",
            mistake="dropout-default",
            separate=True,
            hints=dropout_hints("dropout-default"),
        )
    aside, finding, other = bare.of(bare.submission.aside()), found.finding, None
    with suppress(Mismatch, Raised):
        other = dropout_in(aside, made_with, inputs)[1]
    if other is None or other.id != found.id:
        finding = f"With{'' if has_mask else 'out'} a mask, {finding[0].lower()}{finding[1:]}"
    return Mismatch(
        finding,
        mistake=found.id,
        separate=True,
        hints=dropout_hints(found.id),
        requirement="values" if found.is_returned else "",
    )


def dropout_in(bare, made_with, inputs):
    """Return a training pass's output, and its mistake in dropout (None if there is none)."""
    rate = made_with[0] if made_with else 0.1
    right = bare.right((), inputs, {}).value
    own, own_weights = bare.answers(bare.run((0.0,), inputs, {}).value, right)
    own = weights_in(np.asarray(expect_shape(own, right[0].shape, "the output")))
    run = bare.run(made_with, inputs, {}, training=True, seed=3)
    output, weights = bare.answers(run.value, right)
    answer = np.asarray(expect_shape(output, right[0].shape, "the output"))
    if weights is not None:
        weights = np.asarray(expect_shape(weights, right[1].shape, "the weights"))
        if np.shape(own_weights) == weights.shape and np.allclose(weights, own_weights, atol=1e-5):
            weights = None
    return answer, what_dropout_did(*inputs[:2], answer, weights, rate, own)


@pytest.mark.check(
    "ScaledDotProductAttention: the gradient reaches query, key and value",
    points=2,
    grades=["gradient to the inputs"],
    hints=(
        "Which line of your code uses no operation of torch, or switches gradients off?",
        "Use only tensors from the inputs to the output: no NumPy, no .data, no detach(). Leave "
        "gradients on.",
        "Use torch's own operations. masked_fill with −∞ has a gradient without NaN.",
    ),
)
def test_bare_gradients(bare, rng, note):
    mask = np.array(
        [[True, False, True, False], [True, True, False, False], [True, True, True, False]]
    )  # the last key is blocked for every query
    batch = bare_batch(bare, rng, note)
    inputs = draw(rng, batch, 3, 4, 5, 2)
    toward = rng.normal(size=(*batch, 3, 2)).astype(np.float32)
    bare.compare_gradients((0.0,), inputs, {}, toward, mask, BARE_NAMES, note)
    if bare.is_right((), (*inputs, mask), {}):
        run = bare.run((0.5,), (*inputs, mask), {}, training=True, seed=3, toward=(toward, None))
        for place, name in BARE_NAMES.items():
            if run.gradients.get(place) is None:
                told = f"With a mask and dropout in training, no gradient reaches {name}."
                raise Mismatch(told, mistake="gradient-cut")
            if not np.isfinite(run.gradients[place]).all():
                raise Mismatch("With a mask and dropout in training, the gradient contains NaN.")


@pytest.mark.check(
    "SelfAttention: the four matrices without a bias, two results",
    points=1,
    grades=["four matrices", "output"],
    hints=(
        "Which four nn.Linear does the task ask for, with which names and sizes?",
        "nn.Linear(n, m, bias=False) makes m features from n. Its weight has the shape (m, n).",
        "W_q and W_k make d_k features from d_model. W_v makes d_v features from d_model. W_o "
        "makes d_model features from d_v.",
    ),
)
def test_parameters(whole, rng, note, grading):
    for sizes in ((4,), (6, 2, 3)):
        batch = whole_batch(whole, rng, note)
        grading("four matrices")
        x, state = draw_x(rng, *batch, 3, sizes[0]), state_of(rng, *sizes)
        run = whole.run(sizes, x, state)
        expect_parts(run, WHOLE, MATRICES, without_bias=MATRICES)
        if not {*run.parameters} <= {*whole.parameters_before(sizes, x)}:
            whole.expect_not_random(sizes, x, state)  # forward makes them in each call
        grading("output")
        output, weights = expect_results(run.value, ("output", "weights"), WHOLE)
        if len(sizes) == 1:
            expect_shape(output, (*batch, 3, sizes[0]), "the output")
            expect_shape(weights, (*batch, 3, 3), "the weights")


@pytest.mark.check(
    "SelfAttention: output and weights",
    points=2,
    grades=["output"],
    hints=(
        "To which arrays does your module apply each of its four matrices?",
        "Apply W_q, W_k and W_v to x. Then use attention. Then apply W_o to the output of the "
        "attention.",
        "Return the weights of the attention unchanged. Apply W_o only to the output.",
    ),
)
def test_values(whole, bare, rng, note):
    batch = whole_batch(whole, rng, note)
    for length in (3, 1, 5):
        x = draw_x(rng, *batch, length, 4)
        compare_whole(whole, bare, (4,), x, state_of(rng, 4), note)


@pytest.mark.check(
    "SelfAttention: any number of batch axes, or none",
    points=1,
    grades=["as in part 1"],
    hints=(
        "Which of your operations depend on the number of axes?",
        "nn.Linear and @ change only the last axes.",
        "Remove the line that unpacks x.shape into a fixed number of sizes.",
    ),
)
def test_axes(whole, bare, rng, note):
    batches = ((), (2,), (2, 3), (2, 1, 3))
    cases = [(draw_x(rng, *batch, 3, 4), state_of(rng, 4)) for batch in batches]

    def given_attention(inputs, state):
        compare_whole(whole, bare, (4,), inputs, state, note)

    whole.compare_each((4,), cases, note, given_attention)


@pytest.mark.check(
    "SelfAttention: d_k and d_v that differ from d_model",
    points=2,
    grades=["widths"],
    hints=(
        "Where does your code use d_model, where d_k, and where d_v?",
        "Divide the scores by √d_k, whatever d_model is. The weighted sum of the values has d_v "
        "features.",
        "Take d_k from the last axis of the key, not from d_model.",
    ),
)
def test_widths(whole, bare, rng, note):
    batch = whole_batch(whole, rng, note)
    for sizes in ((6, 2, 3), (3, 9, 5), (4, None, 2), (4, 2, None)):
        x = draw_x(rng, *batch, 5, sizes[0])
        try:
            compare_whole(whole, bare, sizes, x, state_of(rng, *sizes), note)
        except Mismatch as wrong:
            raise wrong_default(whole, bare, batch, rng, note) or wrong from None


def wrong_default(whole, bare, batch, rng, note):
    """Return a mismatch if a module without d_k or d_v has a parameter of a wrong shape."""
    for missing, sizes in (("d_k", (4, None, 2)), ("d_v", (4, 2, None))):
        try:
            x = draw_x(rng, *batch, 5, 4)
            compare_whole(whole, bare, sizes, x, state_of(rng, *sizes), note)
        except Raised:
            continue
        except Mismatch as wrong:
            if wrong.mistake == "parameter-shape":
                return Mismatch(
                    f"If {missing} is None, it should be d_model. {wrong}",
                    mistake="parameter-shape",
                    separate=True,
                    told="If d_k or d_v is None, it should be d_model.",
                )
    return None


@pytest.mark.check(
    "SelfAttention: masks as in part 1, such as a causal mask",
    points=2,
    grades=["as in part 1"],
    hints=(
        "If the module gets a mask, which mask does its attention get?",
        "Pass the mask to the attention. True in the mask means “may attend”.",
        "Pass the mask on in forward, and do not make a mask of your own.",
    ),
)
def test_causality(whole, bare, rng, note):
    causal = causal_mask(5)
    state = state_of(rng, 4)
    batch = whole_batch(whole, rng, note)
    x = draw_x(rng, *batch, 5, 4)
    whole.compare_masked((4,), x, causal, state, note)
    padding = np.array([[1, 1, 0, 1, 0]])
    if batch:
        padding = np.stack([padding, padding[:, ::-1]])
    backwards = np.stack([causal, causal.T]) if batch else causal.T
    for mask in (padding, backwards.astype(np.float32)):
        if bare.is_comparable((), (*x * 3, mask), {}, note):
            whole.compare_masked((4,), x, mask, state, note)
    for axes, mask in (
        ((), padding[-1:, -1]),
        ((5,), causal),
        ((2, 3), backwards[..., None, :, :]),
        ((2,), causal[np.newaxis]),
    ):
        other = draw_x(rng, *axes, 5, 4)
        if bare.is_comparable((), (*other * 3, mask), {}, note) and whole.is_comparable(
            (4,), other, state, note
        ):
            whole.compare((4,), (*other, mask), state)
    changed = x[0].copy()
    changed[..., 3:, :] += 1
    whole.right((4,), (changed, causal), state)  # else a kit cannot tell x @ W from x @ W.T
    before, after = (whole.output((4,), (each, causal), state) for each in (x[0], changed))
    expect_close(
        after[..., :3, :],
        before[..., :3, :],
        "the output before a change",
        finding="A change of the last tokens also changed the output of earlier tokens.",
    )


@pytest.mark.check(
    "SelfAttention: the gradient reaches x and all four matrices",
    points=2,
    grades=["gradient to the matrices"],
    hints=(
        "Which of the four matrices gets no gradient from the output?",
        "The gradient goes back from the output to a weight only through torch's own operations.",
        "Look for detach(), .data, torch.no_grad(), and new tensors from torch.tensor(…).",
    ),
)
def test_gradients(whole, rng, note):
    batch = whole_batch(whole, rng, note)
    widths = (
        (4, 3, 2)
        if whole.is_right((4, 3, 2), draw_x(rng, *batch, 3, 4), state_of(rng, 4, 3, 2))
        else (4,)
    )
    state, x = state_of(rng, *widths), draw_x(rng, *batch, 3, 4)
    toward = rng.normal(size=x[0].shape).astype(np.float32)
    whole.compare_gradients(widths, x, state, toward, causal_mask(3), WHOLE_NAMES, note)


@pytest.mark.check(
    "Other sizes, large scores, unchanged arguments, independent calls",
    points=2,
    grades=["batch axes and sizes", "large scores", "widths", "no dropout", "no side effects"],
    hints=(
        "Which lines depend on training mode, on the size of the scores or on earlier calls?",
        "Without dropout, training and evaluation give the same result. A value that forward "
        "stores in self is still there in the next call.",
        "Use dropout=0.0 for the attention in SelfAttention. Use torch.softmax, and store nothing "
        "in forward.",
    ),
)
def test_other_sizes(whole, bare, rng, note, grading):
    fresh = bare.submission.fresh()
    whole, bare = whole.of(fresh), bare.of(fresh)
    batch = bare_batch(bare, rng, note)
    query, key, value = draw(rng, batch, 3, 5, 4, 2)
    large = *with_scores_up_to(1000, query, key), value
    mask = np.tril(np.ones((3, 5))).astype(np.float32)
    grading("batch axes and sizes")
    bare.expect_to_follow((), (query, key, value), {})
    if bare.is_comparable((), (query, key, value), {}, note):
        bare.compare((), draw(rng, batch, 1, 7, 3, 2), {})
        grading("large scores")
        with about_large_scores():
            bare.compare((), large, {}, condition=1e4)
            compare_low(bare, value, mask, note)
    grading("large scores")
    with about_large_scores():
        expect_finite(bare, large)
        # a mask after the softmax may leave a row without weights
        expect_finite(bare, (*large, mask), " and a mask")
    grading("no side effects")
    inputs = (query, key, value, mask)
    names = ("query", "key", "value", "mask")
    expect_unchanged_tensors(bare.run((), inputs, {}), inputs, names)
    others = ((*draw(rng, batch, 3, 5, 4, 2), 1 - mask[:, ::-1]), draw(rng, batch, 2, 4, 3, 1))
    for given in (inputs, (query, key, value)):
        for before in others:
            expect_stateless(
                lambda given=given, **more: bare.output((), given, {}, **more),
                (before,),
                "the outputs",
            )
    grading("widths")
    batch = whole_batch(whole, rng, note)
    x = draw_x(rng, *batch, 6, 8)
    state = state_of(rng, 8, 5, 3)
    # before values that another mistake makes wrong
    whole.expect_no_dropout((8, 5, 3), x, state, "no dropout")
    whole.expect_to_follow((8, 5, 3), x, state)
    if whole.is_comparable((8,), draw_x(rng, *batch, 4, 8), state_of(rng, 8), note):
        compare_whole(whole, bare, (8, 5, 3), x, state, note)
    grading("no side effects")
    expect_unchanged_tensors(whole.run((8, 5, 3), x, state), x, ("x",))
    causal = causal_mask(6).astype(np.float32)
    others = ((draw_x(rng, *batch, 6, 8)[0], causal), draw_x(rng, *batch, 4, 8))[::-1]
    for given in (x, (*x, causal.T)):
        expect_stateless(
            lambda given=given, **more: whole.output((8, 5, 3), given, state, **more),
            others,
            "the outputs",
        )
