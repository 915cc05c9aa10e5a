"""The reference: correct functions in named steps. Read them beside the lessons."""

from reference.attention import (
    asked_of_softmax,
    attention,
    block,
    combine,
    scale,
    scores,
    softmax,
)
from reference.by_hand import HandPart, HandProblem, hand_givens, hand_problem, hand_shape
from reference.heads import merge_heads, split_heads
from reference.masks import causal_mask, count_visible, masked_weights
from reference.patterns import analyze_pattern, strongest_links
from reference.projection import project_qkv
from reference.scaling import (
    MEASURES,
    Distribution,
    acceptance_interval,
    entropy,
    gradient_norm,
    measure_trial,
    sampling_distributions,
)

__all__ = [
    "MEASURES",
    "Distribution",
    "HandPart",
    "HandProblem",
    "acceptance_interval",
    "analyze_pattern",
    "asked_of_softmax",
    "attention",
    "block",
    "causal_mask",
    "combine",
    "count_visible",
    "entropy",
    "gradient_norm",
    "hand_givens",
    "hand_problem",
    "hand_shape",
    "masked_weights",
    "measure_trial",
    "merge_heads",
    "project_qkv",
    "sampling_distributions",
    "scale",
    "scores",
    "softmax",
    "split_heads",
    "strongest_links",
]
