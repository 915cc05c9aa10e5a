"""A torch module of the student's: built, given weights, called, and differentiated."""

from collections.abc import Callable
from typing import Any

from .messages import Forward, Passed


def run_module(
    build: Callable[..., Any], args: list[Any], kwargs: dict[str, Any], forward: Forward
) -> Passed:
    """A forward pass of a new module; the tensors of `forward` are revived already.

    Raises:
        TypeError: what was built is not a torch module.
        Exception: whatever the student's code raises.
    """
    import torch

    torch.manual_seed(forward.seed)
    module = build(*args, **kwargs)
    if not isinstance(module, torch.nn.Module):
        raise TypeError(f"it is of type {type(module).__name__}, not a torch.nn.Module")
    own = module.state_dict()
    passed = Passed(state={str(name): list(value.shape) for name, value in own.items()})
    if any(passed.state.get(name) != list(new.shape) for name, new in forward.state.items()):
        return passed
    with torch.no_grad():
        for name, new in forward.state.items():
            own[name].copy_(new)
    module.train(forward.training)
    inputs = list(forward.inputs)
    asked = forward.toward is not None
    for place, each in enumerate(inputs):
        if asked and isinstance(each, torch.Tensor) and each.is_floating_point():
            inputs[place] = each.requires_grad_()
    passed.value = module(*inputs)
    passed.called = True
    passed.after = inputs
    if forward.toward is not None:
        passed.gradients = _gradients(torch, module, inputs, passed.value, forward.toward)
    return passed


def _gradients(
    torch: Any, module: Any, inputs: list[Any], value: Any, toward: list[Any]
) -> dict[str, Any]:
    results = list(value) if isinstance(value, list | tuple) else [value]
    pairs = [(r, t) for r, t in zip(results, toward, strict=False) if t is not None]
    total = sum((result * each).sum() for result, each in pairs)
    wanted = {
        f"input {place}": each
        for place, each in enumerate(inputs)
        if isinstance(each, torch.Tensor) and each.requires_grad
    }
    wanted |= {name: each for name, each in module.named_parameters() if each.requires_grad}
    if not isinstance(total, torch.Tensor) or not total.requires_grad or not wanted:
        return dict.fromkeys(wanted)
    found = torch.autograd.grad(total, list(wanted.values()), allow_unused=True)
    return dict(zip(wanted, found, strict=True))
