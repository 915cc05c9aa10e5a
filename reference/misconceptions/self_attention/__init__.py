"""Misconceptions about attention as a torch module."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from autograder.diagnosis.blueprint import Blueprint, single
from reference.misconceptions.scaled_dot_product_attention import RECIPES as NUMPY
from reference.misconceptions.self_attention.whole import WHOLE
from reference.misconceptions.torch_words import without
from reference.parts import WORDS

_numpy = NUMPY["scaled_dot_product_attention"]

BARE = replace(
    _numpy,
    function="ScaledDotProductAttention",
    misconceptions=without(_numpy.misconceptions, "large-epsilon"),
    probes=lambda draw: [single(probe) for probe in _numpy.probes(draw)],
    call=Blueprint((), _numpy.parameters, {}, WORDS),
    precision=np.float32,
)

RECIPES = {recipe.function: recipe for recipe in (BARE, WHOLE)}


def simulated_values() -> Iterator[tuple[str, str, dict[str, object]]]:
    """Modules with the mistakes that the checks name themselves."""
    from reference.misconceptions.self_attention.simulated import SIMULATED

    for name, mistake, module in SIMULATED:
        yield name, mistake, {name: module}
