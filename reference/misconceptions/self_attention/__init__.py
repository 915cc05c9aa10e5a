"""Misconceptions about attention as a torch module."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from autograder.author import Comparison, Family, Mistakes, ModuleCaller, float32_probe
from reference.attention import softmax
from reference.misconceptions.scaled_dot_product_attention import FAMILIES, MISTAKES
from reference.misconceptions.scaled_dot_product_attention.facts import divisor_in_single
from reference.misconceptions.scaled_dot_product_attention.probes import probes
from reference.misconceptions.scaled_dot_product_attention.weights import ROWS
from reference.misconceptions.self_attention.whole import WHOLE
from reference.misconceptions.torch_words import without
from reference.parts import WORDS

_numpy = MISTAKES.recipes["scaled_dot_product_attention"]

WITHOUT_DIM = Family(
    "weights",
    ROWS,
    {
        "softmax-without-dim": (
            "Your numbers match a softmax without `dim`. If the scores have three axes, torch "
            "then takes axis 0. If they have two or four axes, torch takes axis 1.",
            lambda s: softmax(s.blocked, 0 if s.blocked.ndim == 3 else 1),
        ),
    },
)

BARE = replace(
    _numpy,
    of="ScaledDotProductAttention",
    families=(*without(FAMILIES, "large-epsilon"), WITHOUT_DIM),
    probes=lambda draw: [float32_probe(probe) for probe in probes(draw, most=3000)],
    caller=ModuleCaller((), _numpy.parameters, {}, WORDS),
    comparison=Comparison(precision=np.float32),
    facts=tuple(
        replace(fact, holds=divisor_in_single) if fact.has_value else fact for fact in _numpy.facts
    ),
)


def simulated_values() -> Iterator[tuple[str, str, dict[str, object]]]:
    """Yield modules with the mistakes that the checks name themselves."""
    from reference.misconceptions.self_attention.simulated import SIMULATED

    for name, mistake, module in SIMULATED:
        yield name, mistake, {name: module}


MISTAKES = Mistakes(BARE, WHOLE, simulated_values=simulated_values)
