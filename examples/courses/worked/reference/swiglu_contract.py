"""Contract of the torch class, without an answer. Checks and recipe share it, and kits contain it."""

import numpy as np

from autograder.author import ModuleCaller

WEIGHTS = {"w1.weight": "W1", "w2.weight": "W2", "w3.weight": "W3"}
CONTRACT = ModuleCaller(built_with=("d_model", "d_ff"), called_with=("x",), weights=WEIGHTS)


def drawn(rng, d_model, d_ff, *batch):
    """Return a dict of sizes, an input and weights by their names in the contract."""
    shapes = {"x": (*batch, d_model), "W1": (d_ff, d_model), "W2": (d_model, d_ff), "W3": (d_ff, d_model)}
    values = {name: rng.normal(size=size).astype(np.float32) for name, size in shapes.items()}
    return {"d_model": d_model, "d_ff": d_ff, **{n: v.astype(float) for n, v in values.items()}}
