"""Misconceptions about the scaling experiment: the measured quantity, the means and the trials.

Students draw their own random numbers. So the grader runs `measure_scaling` many times with each
misconception, and compares the distribution of the results with the student's results.
"""

import numpy as np

from autograder.author import Comparison, Fact, Mistakes, Recipe
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

MISTAKES = Mistakes(
    Recipe(
        "attention_entropy",
        row_probes,
        ENTROPY,
        steps={
            "p": lambda s: np.asarray(s.weights, dtype=np.float64),
            "entropy": lambda s: entropy(s.p),
        },
        parameters=("weights",),
        labels={"p": "the weights", "entropy": "the entropies"},
        traits=ENTROPY_TRAITS,
        facts=(
            Fact(
                "nan",
                lambda s, v: bool(np.isnan(v).any()),
                "The result contains NaN (not a number).",
            ),
            Fact("negative", lambda s, v: bool((v < 0).any()), "Some values are negative."),
        ),
    ),
    Recipe(
        "softmax_gradient_norm",
        score_probes,
        GRADIENT,
        steps={
            "weights": lambda s: softmax(s.scores),
            "jacobian": lambda s: diagonal(s.weights) - outer(s.weights),
            "norm": lambda s: frobenius(s.jacobian),
        },
        parameters=("scores",),
        labels={
            "weights": "the weights",
            "jacobian": "the matrix of derivatives",
            "norm": "the norms",
        },
        traits=GRADIENT_TRAITS,
        facts=(
            Fact(
                "nan",
                lambda s, v: bool(np.isnan(v).any()),
                "The result contains NaN (not a number).",
            ),
        ),
    ),
    Recipe(
        "measure_scaling",
        measure_probes,
        MEASURING,
        steps={
            **{name: each_dimension(step) for name, step in ONE_DIMENSION.items()},
            "results": results,
        },
        parameters=("dimensions", "seq_len", "trials", "rng"),
        facts=MEASURE_FACTS,
        comparison=Comparison(sample=sample, spread=summary),
    ),
    explain_value=explain_value,
)
