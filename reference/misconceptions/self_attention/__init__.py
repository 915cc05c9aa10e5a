"""Misconceptions about attention as a torch module."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from autograder.author import Comparison, Mistakes, ModuleCaller, float32_probe
from reference.misconceptions.scaled_dot_product_attention import FAMILIES, MISTAKES
from reference.misconceptions.scaled_dot_product_attention.facts import divisor_in_single
from reference.misconceptions.self_attention.whole import WHOLE
from reference.misconceptions.torch_words import without
from reference.parts import WORDS

_numpy = MISTAKES.recipes["scaled_dot_product_attention"]

BARE = replace(
    _numpy,
    of="ScaledDotProductAttention",
    families=without(FAMILIES, "large-epsilon"),
    probes=lambda draw: [float32_probe(probe) for probe in _numpy.calls(draw)],
    caller=ModuleCaller((), _numpy.parameters, {}, WORDS),
    comparison=Comparison(precision=np.float32),
    facts=tuple(
        replace(fact, holds=divisor_in_single) if fact.has_value else fact for fact in _numpy.facts
    ),
)


def simulated_values() -> Iterator[tuple[str, str, dict[str, object]]]:
    """Yield modules with the mistakes that the checks themselves name."""
    from reference.misconceptions.self_attention.simulated import SIMULATED

    for name, mistake, module in SIMULATED:
        yield name, mistake, {name: module}


MISTAKES = Mistakes(BARE, WHOLE, simulated_values=simulated_values)
