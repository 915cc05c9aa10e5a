"""Misconceptions in functions that the student repaired, and in the student's tests."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from autograder.author import Family, Hints, Misconception, Mistakes, Probe, Recipe, Step, Trait
from reference.attention import softmax
from reference.bugs import NAMES, SHOWN, implementations
from reference.bugs.cases import CASES, PARAMETERS
from reference.misconceptions.causal_mask import MISTAKES as MASKED
from reference.misconceptions.multi_head_attention import MISTAKES as HEADS
from reference.misconceptions.scaled_dot_product_attention import MISTAKES as ATTENTION
from reference.misconceptions.softmax import MISTAKES as SOFTMAX

DROPOUT_IDS = {
    "shown": "dropped-weights-returned",
    "not-rescaled": "dropout-not-rescaled",
    "missing": "dropout-missing",
    "inverted": "dropout-rate-inverted",
    "on-output": "dropout-on-output",
    "on-scores": "dropout-before-softmax",
    "whole-keys": "dropout-of-whole-keys",
    "whole-queries": "dropout-of-whole-queries",
    "shared-by-batch": "dropout-shared-by-batch",
    "returned-renormalised": "dropped-weights-returned",
    "zero-ignored": "dropout-rate-ignored",
    "renormalised": "dropout-renormalised",
    "own-numbers": "own-random-numbers",
    "same-every-time": "dropout-always-the-same",
}
ENDS_IN_AN_ERROR = {  # which already says what is wrong
    ("batched_attention", id) for id in (SHOWN, "fixed-to-four", "needs-batch", "as-many-keys")
}
HINTS: dict[str, Hints] = {
    "row_softmax": (
        "Which entries of your result sum to 1? Try your function with two rows.",
        "Along the last axis, the numbers are positive and sum to 1. This is true for large "
        "entries too.",
        "Take the maximum of the inputs and the sum of the exponentials, both with axis=-1 and "
        "keepdims=True.",
    ),
    "batched_attention": (
        "Write down the shapes of Q, K and the scores, with two batch axes in front.",
        "The scores are Q Kᵀ / √d_k, where Kᵀ exchanges the last two axes of K. The softmax runs "
        "over the last axis.",
        "np.swapaxes(K, -1, -2), K.shape[-1] and axis=-1 are right for any number of axes.",
    ),
    "masked_heads": (
        "Begin with the last axis: which axis of the scores is matched with each axis of the mask?",
        "A mask (L, L) is the same for all heads and sequences. A mask (B, L, L) needs an axis "
        "for the heads. Make blocked scores low before the softmax.",
        "if mask.ndim == 3: mask = mask[:, None]",
    ),
    "multi_head_forward": (
        "Which features of a token does head 1 see?",
        "Each head is a block of neighbouring features. Split the features, use attention in each "
        "head, merge the heads in order, then apply W_o.",
        "Split with reshape(B, L, H, d).transpose(0, 2, 1, 3). Divide by √d. Transpose back "
        "before the last reshape.",
    ),
}

NOT_HERE = {"weights-not-transposed", "output-matrix-not-transposed", "results-swapped"}


def _with_head_axis(s: Any) -> dict[str, Any]:
    mask = np.asarray(s.mask)
    return {"scores": s.scores, "mask": mask[:, None] if mask.ndim == 3 else mask}


def _as_module(s: Any) -> dict[str, Any]:
    turned = {name: getattr(s, name).T for name in ("W_q", "W_k", "W_v", "W_o")}
    return {"d_model": s.x.shape[-1], "num_heads": s.num_heads, "x": s.x, **turned}


# For each function, a recipe that computes the same, and its arguments.
LIKE: dict[str, tuple[Recipe, Callable[[Any], dict[str, Any]]]] = {
    "row_softmax": (SOFTMAX.recipes["softmax"], lambda s: {"x": s.x}),
    "batched_attention": (
        ATTENTION.recipes["scaled_dot_product_attention"],
        lambda s: {"Q": s.Q, "K": s.K, "V": s.V},
    ),
    "masked_heads": (MASKED.recipes["masked_attention_weights"], _with_head_axis),
    "multi_head_forward": (HEADS.recipes["MultiHeadAttention"], _as_module),
}


def _told_by_its_size(s: Any) -> Any:
    mask = np.asarray(s.mask) != 0
    mask = mask[:, None] if len(mask) == len(s.scores) else mask
    return softmax(np.where(mask, s.scores, -1e9))


MORE: dict[str, tuple[Family, ...]] = {
    "masked_heads": (
        Family(
            "answer",
            HINTS["masked_heads"],
            {
                "kind-of-mask-by-its-size": (
                    "If the first size of a mask equals the batch size, your code treats the "
                    "mask as one mask per sequence. But the first size of a mask (L, L) may "
                    "also equal the batch size. Look at the number of axes instead.",
                    _told_by_its_size,
                ),
            },
        ),
    ),
}


def _recipe(name: str) -> Recipe:
    known = implementations(name)
    right = next(each.function for each in known if not each.wrong)
    parameters = PARAMETERS[name]

    counted = parameters[-1] if name == "masked_heads" else parameters[0]

    def call(function: Callable[..., Any]) -> Callable[[Any], Any]:
        return lambda s: function(*(getattr(s, parameter) for parameter in parameters))

    broken = Family(
        "answer",
        HINTS[name],
        means=call,
        ways={
            "still-broken" if each.id == SHOWN else each.id: (
                f"Your function still has a mistake: {each.wrong}.",
                each.function,
            )
            for each in known
            if each.wrong and (name, each.id) not in ENDS_IN_AN_ERROR
        },
    )
    families = (broken, *MORE.get(name, ()))
    return Recipe(
        name,
        lambda draw: [Probe(args) for args in CASES[name](np.random.default_rng([38, draw]))],
        families,
        steps={"answer": call(right)},
        parameters=parameters,
        traits=(
            Trait(
                lambda s: getattr(s, counted).ndim > 2,
                "with three axes or more",
                "with two axes or fewer",
            ),
        ),
        results=() if len(parameters) < 3 else ("the output", "the attention weights"),
        fallbacks=tuple(_borrowed(*LIKE[name])),
    )


def _borrowed(recipe: Recipe, given: Callable[[Any], dict[str, Any]]) -> Iterator[Misconception]:
    for each in recipe.misconceptions:
        if each.id not in NOT_HERE:
            yield replace(each, replaces={"answer": _done_as(recipe, given, each)})


def _done_as(recipe: Recipe, given: Callable[[Any], dict[str, Any]], wrong: Misconception) -> Step:
    return lambda s: recipe.run(Probe((), given(s)), (wrong,))


def simulated_values() -> Iterator[tuple[str, str, dict[str, object]]]:
    """Yield wrong versions of the function with dropout, and tests that accept every function."""
    for each in implementations("attention_with_dropout"):
        if each.id in DROPOUT_IDS:
            name = "attention_with_dropout"
            yield name, DROPOUT_IDS[each.id], {name: each.function}
    for name in NAMES:
        yield f"test_{name}", "passes-the-broken", {f"test_{name}": lambda _: None}
        yield f"test_{name}", "stops-the-right", {f"test_{name}": _refuse}
    shape_only = {"test_row_softmax": _only_the_whole}
    yield "test_row_softmax", "finds-too-little", shape_only
    yield "test_row_softmax", "wrong-way-round", {"test_row_softmax": _turned_round}


def _refuse(_: Any) -> None:
    raise AssertionError


def _only_the_whole(implementation: Any) -> None:
    assert implementation(np.ones((2, 3, 4))).sum() != 1
    assert abs(implementation(np.ones((2, 3))).sum() - 1) > 0.5


def _turned_round(implementation: Any) -> None:
    assert abs(implementation(np.ones((2, 3))).sum() - 1) < 0.5


MISTAKES = Mistakes(*(_recipe(name) for name in CASES), simulated_values=simulated_values)
