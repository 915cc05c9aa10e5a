"""Callers of torch code pass on every argument: by name, and arguments that are no tensors."""

import numpy as np
import pytest

from autograder.author import ModuleCaller, ParameterNames, Probe, Recipe, TensorCaller


def rms_norm(x, weight, eps=1e-6):
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + eps) * weight


X, WEIGHT = np.array([[3.0, 4.0]]), np.array([1.0, 2.0])


@pytest.mark.parametrize("probe", [Probe((X, WEIGHT, 1.0)), Probe((X, WEIGHT), {"eps": 1.0})])
def test_a_function_of_tensors_and_a_number(probe):
    import torch

    caller = TensorCaller()
    recipe = Recipe(rms_norm, lambda _: [probe], caller=caller)

    class Submission:
        def rms_norm(self, *args, **kwargs):
            return [*args, kwargs]

    *_, named = caller.ask(Submission(), recipe, probe)
    assert named == {"eps": 1.0}
    simulated = caller.simulated(recipe, None, ())
    arrays = (torch.tensor(X), torch.tensor(WEIGHT))
    expected = rms_norm(X, WEIGHT, 1.0)
    assert np.allclose(simulated(*arrays, 1.0).numpy(), expected)
    assert np.allclose(simulated(*arrays, eps=1.0).numpy(), expected)


def test_a_module_with_arguments_by_name():
    import torch

    class Norm(torch.nn.Module):
        def __init__(self, size, eps=1e-6):
            super().__init__()
            self.weight = torch.nn.Parameter(torch.ones(size))

    names = ParameterNames(str, lambda _: False, {}, lambda _: None)
    caller = ModuleCaller(("size", "eps"), ("x", "scale"), {"weight": "weight"}, names)
    steps = {"normed": lambda s: rms_norm(s.x, s.weight, s.eps) * s.scale}
    parameters = ("size", "eps", "x", "scale", "weight")
    recipe = Recipe("Norm", list, steps=steps, parameters=parameters, caller=caller)
    module = caller.simulated(recipe, Norm, ())(2, eps=1.0)
    got = module(torch.tensor(X), scale=3.0)
    assert np.allclose(got.numpy(), 3 * rms_norm(X, np.ones(2), 1.0))
