"""A torch module of the student's: built, given weights, called, and differentiated."""

from collections.abc import Callable, Mapping
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
    inputs = list(forward.inputs)
    own = _state(torch, module, forward.state, inputs)
    passed = _described(module, own)
    if any(passed.state.get(name) != list(new.shape) for name, new in forward.state.items()):
        return passed
    with torch.no_grad():
        for name, new in forward.state.items():
            own[name].copy_(new)
        for earlier in forward.before:
            for training in (True, False):
                module.train(training)
                module(*(_copy(torch, each) for each in earlier))
    torch.manual_seed(forward.seed + len(forward.before))
    module.train(forward.training)
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


def _state(torch: Any, module: Any, wanted: Mapping[str, Any], inputs: list[Any]) -> Any:
    """The module's parameters and buffers; some come to be in its first call."""
    lazy = torch.nn.parameter.UninitializedTensorMixin
    state = module.state_dict()
    unmade = any(isinstance(each, lazy) for each in state.values())
    if not unmade and all(name in state for name in wanted):
        return state
    module.eval()
    try:
        with torch.no_grad():
            module(*(_copy(torch, each) for each in inputs))
    except Exception:
        if unmade:
            raise
    return module.state_dict()


def _copy(torch: Any, value: Any) -> Any:
    return value.detach().clone() if isinstance(value, torch.Tensor) else value


def _described(module: Any, own: Mapping[str, Any]) -> Passed:
    first: dict[int, str] = {}
    passed = Passed(state={str(name): list(value.shape) for name, value in own.items()})
    for name, each in module.named_parameters(remove_duplicate=False):
        original = first.setdefault(id(each), str(name))
        if original != name:
            passed.same_as[str(name)] = original
    passed.buffers = [str(name) for name, _ in module.named_buffers(remove_duplicate=False)]
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
    # a parameter that is registered twice has a gradient under each of its names
    named = module.named_parameters(remove_duplicate=False)
    wanted |= {name: each for name, each in named if each.requires_grad}
    if not isinstance(total, torch.Tensor) or not total.requires_grad or not wanted:
        return dict.fromkeys(wanted)
    once = {id(each): each for each in wanted.values()}
    found = torch.autograd.grad(total, list(once.values()), allow_unused=True)
    by_id = dict(zip(once, found, strict=True))
    return {name: by_id[id(each)] for name, each in wanted.items()}
