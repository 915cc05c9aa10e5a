"""Misconceptions about the causal mask, and about the effect of a mask on scores."""

from typing import Any

import numpy as np

from autograder.author import Mistakes, Recipe, Trait
from reference.attention import block, softmax
from reference.masks import causal_mask
from reference.misconceptions.causal_mask.apply import APPLY, mask_of
from reference.misconceptions.causal_mask.calls import APPLY_FACTS, MASK_TRAITS, scores_and_masks
from reference.misconceptions.causal_mask.counts import COUNTS
from reference.misconceptions.causal_mask.create import CREATE, MASK_FACTS, create_probes
from reference.misconceptions.causal_mask.weights import IN_WEIGHTS, WEIGHT_FACTS, WEIGHTS


def axes(state: Any) -> dict[str, int]:
    sizes = {f"B{i or ''}": size for i, size in enumerate(state.scores.shape[:-2])}
    return sizes | {"L_q": state.scores.shape[-2], "L_k": state.scores.shape[-1]}


APPLY_STEPS = {"masked": lambda s: block(s.scores, s.mask)}
LOW_NUMBERS = (
    {"masked": lambda s: np.where(mask_of(s), s.scores, -1e9)},
    {"masked": lambda s: s.scores + (1 - mask_of(s)) * -1e9},
)


MISTAKES = Mistakes(
    Recipe(
        "create_causal_mask",
        create_probes,
        CREATE,
        steps={"mask": lambda s: causal_mask(s.seq_len)},
        parameters=("seq_len",),
        traits=(Trait(lambda s: s.seq_len > 4, "for long sequences", "for short ones"),),
        facts=MASK_FACTS,
    ),
    Recipe(
        "apply_mask",
        scores_and_masks,
        APPLY,
        steps=APPLY_STEPS,
        parameters=("scores", "mask"),
        alternatives=LOW_NUMBERS,
        traits=MASK_TRAITS,
        facts=APPLY_FACTS,
        axes=axes,
    ),
    Recipe(
        "masked_attention_weights",
        scores_and_masks,
        (*IN_WEIGHTS, *WEIGHTS),
        steps={**APPLY_STEPS, "weights": lambda s: softmax(s.masked)},
        parameters=("scores", "mask"),
        alternatives=LOW_NUMBERS,
        traits=MASK_TRAITS,
        facts=WEIGHT_FACTS,
        labels={"masked": "the masked scores", "weights": "the weights"},
        axes=axes,
    ),
    Recipe(
        "count_visible",
        create_probes,
        COUNTS,
        steps={"mask": lambda s: causal_mask(s.seq_len), "counts": lambda s: s.mask.sum(-1)},
        parameters=("seq_len",),
    ),
)
