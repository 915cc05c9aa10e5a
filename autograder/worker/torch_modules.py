"""Use of the student's torch modules: construct, load weights, call and differentiate."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from .messages import Forward, Passed


def run_module(
    build: Callable[..., Any], args: list[Any], kwargs: dict[str, Any], forward: Forward
) -> Passed:
    """Construct a module and return the result of a forward pass. `forward` contains tensors.

    Raises:
        TypeError: `build` did not return a torch module.
        Exception: the student's code raised.
    """
    import torch

    # torch.manual_seed looks for GPUs every time, which is slow
    torch.default_generator.manual_seed(forward.seed)
    module = build(*args, **kwargs)
    if not isinstance(module, torch.nn.Module):
        raise TypeError(f"it is of type {type(module).__name__}, not a torch.nn.Module")
    inputs = list(forward.inputs)
    own = _state(torch, module, forward.state, inputs)
    passed = _described(torch, module, own)
    if any(passed.state.get(name) != list(new.shape) for name, new in forward.state.items()):
        return passed
    with torch.no_grad():
        for name, new in forward.state.items():
            own[name].copy_(new)
        for earlier in forward.before:
            for training in (True, False):
                _set_training(torch, module, training)
                try:
                    module(*(_copy(torch, each) for each in earlier))
                except Exception:
                    alone = Forward(forward.state, list(earlier), training, forward.seed)
                    if not _fails(build, args, kwargs, alone):
                        raise
    torch.default_generator.manual_seed(forward.seed + len(forward.before))
    _set_training(torch, module, forward.training)
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


def _fails(
    build: Callable[..., Any], args: list[Any], kwargs: dict[str, Any], forward: Forward
) -> bool:
    """Return True if a new module raises an exception too. Then no earlier call is the cause."""
    try:
        run_module(build, args, kwargs, forward)
    except Exception:
        return True
    return False


def _state(torch: Any, module: Any, expected: Mapping[str, Any], inputs: list[Any]) -> Any:
    """Return the module's parameters and buffers, which some modules create at the first call."""
    lazy = torch.nn.parameter.UninitializedTensorMixin
    state = _held(torch, module)
    unmade = any(isinstance(value, lazy) for value in state.values())
    if not unmade and all(name in state for name in expected):
        return state
    _set_training(torch, module, False)
    try:
        with torch.no_grad():
            module(*(_copy(torch, value) for value in inputs))
    except Exception:
        if unmade:
            raise
    return _held(torch, module)


def _inside(
    torch: Any, module: Any, prefix: str = "", outer: tuple[int, ...] = ()
) -> Iterator[tuple[str, Any, dict[str, Any]]]:
    """Yield the module and all modules inside it, each with its name prefix and its contents.

    The contents are read directly from the objects, because a student's class may override
    `state_dict`, `named_parameters` and `train`.
    """
    own = torch.nn.Module.__dict__["__dict__"].__get__(module)
    yield prefix, module, own
    for name, part in own["_modules"].items():
        if isinstance(part, torch.nn.Module) and id(part) not in (*outer, id(module)):
            yield from _inside(torch, part, f"{prefix}{name}.", (*outer, id(module)))


def _named(torch: Any, module: Any, kind: str) -> Iterator[tuple[str, Any]]:
    """Yield all `_parameters` or `_buffers`, with names. A tensor with two names occurs twice."""
    for prefix, _, own in _inside(torch, module):
        for name, each in own[kind].items():
            if each is not None:
                yield f"{prefix}{name}", each


def _held(torch: Any, module: Any) -> dict[str, Any]:
    """Return a dict from names to the parameters and saved buffers."""
    held = {}
    for prefix, _, own in _inside(torch, module):
        passing = own["_non_persistent_buffers_set"]
        kept = {name: each for name, each in own["_buffers"].items() if name not in passing}
        for name, each in (*own["_parameters"].items(), *kept.items()):
            if each is not None:
                held[f"{prefix}{name}"] = each
    return held


def _set_training(torch: Any, module: Any, training: bool) -> None:
    for _, each, own in _inside(torch, module):
        if "training" in own:
            own["training"] = training
        else:  # a compiled module stores it in another place
            each.training = training


def _copy(torch: Any, value: Any) -> Any:
    return value.detach().clone() if isinstance(value, torch.Tensor) else value


def _described(torch: Any, module: Any, own: Mapping[str, Any]) -> Passed:
    first: dict[int, str] = {}
    passed = Passed(state={name: list(value.shape) for name, value in own.items()})
    for name, each in _named(torch, module, "_parameters"):
        original = first.setdefault(id(each), name)
        if original != name:
            passed.same_as[name] = original
    passed.buffers = [name for name, _ in _named(torch, module, "_buffers")]
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
    # a parameter with two names has a gradient under each name
    named = _named(torch, module, "_parameters")
    wanted |= {name: each for name, each in named if each.requires_grad}
    if not isinstance(total, torch.Tensor) or not total.requires_grad or not wanted:
        return dict.fromkeys(wanted)
    once = {id(each): each for each in wanted.values()}
    found = torch.autograd.grad(total, list(once.values()), allow_unused=True)
    by_id = dict(zip(once, found, strict=True))
    return {name: by_id[id(each)] for name, each in wanted.items()}
