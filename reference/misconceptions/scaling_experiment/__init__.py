"""Misconceptions about the scaling experiment: what is measured, over what, and how often.

The student's random numbers are the student's own, so `measure_scaling` is replayed many times
for each misconception, and an answer is told by where it lies.
"""

import numpy as np

from autograder.diagnosis.recipe import Fact, Recipe
from reference.attention import softmax
from reference.misconceptions.scaling_experiment.conclusion import explain_value
from reference.misconceptions.scaling_experiment.entropies import (
    ENTROPY,
    ENTROPY_TRAITS,
    row_probes,
)
from reference.misconceptions.scaling_experiment.gradients import (
    GRADIENT,
    GRADIENT_TRAITS,
    diagonal,
    frobenius,
    outer,
    score_probes,
)
from reference.misconceptions.scaling_experiment.measures import MEASURING
from reference.misconceptions.scaling_experiment.simulation import (
    MEASURE_FACTS,
    ONE_DIMENSION,
    each_dimension,
    measure_probes,
    results,
    sample,
    summary,
)
from reference.scaling import entropy

RECIPES = {
    "attention_entropy": Recipe(
        "attention_entropy",
        ("weights",),
        {
            "p": lambda s: np.asarray(s.weights, dtype=np.float64),
            "entropy": lambda s: entropy(s.p),
        },
        row_probes,
        ENTROPY,
        traits=ENTROPY_TRAITS,
        facts=(
            Fact("nan", lambda s, v: bool(np.isnan(v).any()), "There are NaN in the result."),
            Fact("negative", lambda s, v: bool((v < 0).any()), "Some values are negative."),
        ),
    ),
    "softmax_gradient_norm": Recipe(
        "softmax_gradient_norm",
        ("scores",),
        {
            "p": lambda s: softmax(s.scores),
            "jacobian": lambda s: diagonal(s.p) - outer(s.p),
            "norm": lambda s: frobenius(s.jacobian),
        },
        score_probes,
        GRADIENT,
        traits=GRADIENT_TRAITS,
        facts=(Fact("nan", lambda s, v: bool(np.isnan(v).any()), "There are NaN in the result."),),
    ),
    "measure_scaling": Recipe(
        "measure_scaling",
        ("dimensions", "seq_len", "trials", "rng"),
        {
            **{name: each_dimension(step) for name, step in ONE_DIMENSION.items()},
            "results": results,
        },
        measure_probes,
        MEASURING,
        facts=MEASURE_FACTS,
        summary=summary,
        sample=sample,
    ),
}

__all__ = ["RECIPES", "explain_value"]
