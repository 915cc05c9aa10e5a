"""Misconceptions about `swiglu`: each replaces one step of the formula."""

import numpy as np

from autograder.author import Comparison, Family, Mistakes, Probe, Recipe
from reference.swiglu import silu
from reference.swiglu_contract import CONTRACT, drawn

STEPS = {
    "gate": lambda s: s.x @ s.W1.T,
    "up": lambda s: s.x @ s.W3.T,
    "active": lambda s: silu(s.gate),
    "hidden": lambda s: s.active * s.up,
    "output": lambda s: s.hidden @ s.W2.T,
}
ACTIVATIONS = {
    "ReLU": lambda z: np.maximum(z, 0),
    "GELU": lambda z: silu(1.702 * z) / 1.702,
    "a sigmoid": lambda z: silu(z) / z,
    "tanh": np.tanh,
    "softplus": lambda z: np.log1p(np.exp(z)),
    "a leaky ReLU": lambda z: np.where(z > 0, z, 0.01 * z),
    "a squared ReLU": lambda z: np.maximum(z, 0) ** 2,
    "no activation": lambda z: z,
    "an activation twice": lambda z: silu(silu(z)),
    "silu of the negative": lambda z: silu(-z),
}
ACTIVE = {
    name.replace(" ", "-").lower(): (f"Your numbers match {name} instead of silu.", change)
    for name, change in ACTIVATIONS.items()
}
OTHERS = {
    "gate-by-w3": ("W3 x goes through silu too: W1 is not used.", {"gate": lambda s: s.x @ s.W3.T}),
    "up-by-w1": ("W1 x is used twice: W3 is not used.", {"up": lambda s: s.x @ s.W1.T}),
    "exchanged": ("W3 x goes through silu, not W1 x.", {"hidden": lambda s: s.gate * silu(s.up)}),
    "both-active": ("silu is applied to both.", {"hidden": lambda s: s.active * silu(s.up)}),
    "active-after": ("silu is applied to the product.", {"hidden": lambda s: silu(s.gate * s.up)}),
    "summed": ("W1 x and W3 x are added.", {"hidden": lambda s: s.active + s.up}),
    "subtracted": ("W3 x is subtracted.", {"hidden": lambda s: s.active - s.up}),
    "without-up": ("W3 x is left out.", {"hidden": lambda s: s.active}),
    "without-gate": ("silu(W1 x) is left out.", {"hidden": lambda s: s.up}),
    "scaled": ("The product is divided by √d_ff.", {"hidden": lambda s: s.active * s.up / np.sqrt(s.d_ff)}),
    "residual": ("x is added to the result.", {"output": lambda s: s.x + s.hidden @ s.W2.T}),
    "active-output": ("silu is applied to the result.", {"output": lambda s: silu(s.hidden @ s.W2.T)}),
    "halved": ("The result is divided by 2.", {"output": lambda s: s.hidden @ s.W2.T / 2}),
    "active-input": ("silu is applied to x.", {"x": lambda s: silu(s.x)}),
}


def probes(rng):
    sizes = ((1, 1), (2, 3), (3, 3, 2), (3, 2, 4), (4, 4, 4), (4, 6, 2, 3))
    return [Probe((), drawn(rng, *each)) for each in sizes]


FAMILIES = (Family("active", None, ACTIVE, lambda f: lambda s: f(s.gate)), Family(None, None, OTHERS))
FLOAT32 = Comparison(precision=np.float32)
MISTAKES = Mistakes(Recipe("SwiGLU", probes, FAMILIES, STEPS, caller=CONTRACT, comparison=FLOAT32))
