"""Use of the student's torch modules: construction, loading, call and gradients."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from .messages import Forward, Passed


def run_module(
    build: Callable[..., Any], args: list[Any], kwargs: dict[str, Any], forward: Forward
) -> Passed:
    import torch

    # torch.manual_seed looks for GPUs every time, which is slow
    torch.default_generator.manual_seed(forward.seed)
    module = build(*args, **kwargs)
    if not isinstance(module, torch.nn.Module):
        raise TypeError(f"it is of type {type(module).__name__}, not a torch.nn.Module")
    inputs = list(forward.inputs)
    own = _state(module, forward.state, inputs)
    passed = _described(module, own)
    if any(passed.state.get(name) != list(new.shape) for name, new in forward.state.items()):
        return passed
    returned: list[Any] = []
    with torch.no_grad():
        for name, new in forward.state.items():
            own[name].copy_(new)
        for earlier in forward.before:
            for training in (True, False):
                _set_training(module, training)
                try:
                    returned += filter(torch.is_tensor, _results(module(*map(_copy, earlier))))
                except Exception as error:
                    alone = Forward(forward.state, list(earlier), training, forward.seed)
                    try:
                        run_module(build, args, kwargs, alone)
                    except Exception:  # a new module fails too, so no earlier call is the cause
                        continue
                    raise error
    before = [*map(torch.nan_to_num, returned)]  # copies
    torch.default_generator.manual_seed(forward.seed + len(forward.before))
    _set_training(module, forward.training)
    if forward.toward is not None:
        for tensor in inputs:
            if isinstance(tensor, torch.Tensor) and tensor.is_floating_point():
                tensor.requires_grad_()
    passed.value = module(*inputs)
    passed.called = True
    passed.overwrites = not all(map(torch.equal, before, map(torch.nan_to_num, returned)))
    passed.after = inputs
    if forward.toward is not None:
        passed.gradients = _gradients(module, inputs, passed.value, forward.toward)
    return passed


def _state(module: Any, expected: Mapping[str, Any], inputs: list[Any]) -> dict[str, Any]:
    """Return the module's parameters and buffers, including those that the module creates late."""
    import torch

    lazy = torch.nn.parameter.UninitializedTensorMixin
    state = _held(module)
    unmade = any(isinstance(value, lazy) for value in state.values())
    if not unmade and all(name in state for name in expected):
        return state
    _set_training(module, False)
    try:
        with torch.no_grad():
            module(*map(_copy, inputs))
    except Exception:
        if unmade:
            raise
    return _held(module)


def _inside(
    module: Any, prefix: str = "", outer: tuple[int, ...] = ()
) -> Iterator[tuple[str, Any, dict[str, Any]]]:
    """Yield the module and all modules inside it, with the prefix of names and the contents.

    The contents come directly from the objects, because a student's class may override
    `state_dict`, `named_parameters` and `train`.
    """
    import torch

    own = torch.nn.Module.__dict__["__dict__"].__get__(module)
    yield prefix, module, own
    for name, part in own["_modules"].items():
        if isinstance(part, torch.nn.Module) and id(part) not in (*outer, id(module)):
            yield from _inside(part, f"{prefix}{name}.", (*outer, id(module)))


def _tensors(module: Any) -> Iterator[tuple[str, Any, str]]:
    for prefix, _, own in _inside(module):
        for name, tensor in own["_parameters"].items():
            if tensor is not None:
                yield f"{prefix}{name}", tensor, "parameter"
        for name, tensor in own["_buffers"].items():
            if tensor is not None:
                is_saved = name not in own["_non_persistent_buffers_set"]
                yield f"{prefix}{name}", tensor, "buffer" if is_saved else "unsaved buffer"


def _held(module: Any) -> dict[str, Any]:
    return {name: tensor for name, tensor, kind in _tensors(module) if kind != "unsaved buffer"}


def _set_training(module: Any, training: bool) -> None:
    for _, part, own in _inside(module):
        if "training" in own:
            own["training"] = training
        else:  # a compiled module stores it in another place
            part.training = training


def _copy(value: Any) -> Any:
    import torch

    return value.detach().clone() if isinstance(value, torch.Tensor) else value


def _results(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else [value]


def _described(module: Any, own: Mapping[str, Any]) -> Passed:
    first: dict[int, str] = {}
    passed = Passed(state={name: list(value.shape) for name, value in own.items()})
    for name, tensor, kind in _tensors(module):
        if kind != "parameter":
            passed.buffers.append(name)
        elif (original := first.setdefault(id(tensor), name)) != name:
            passed.same_as[name] = original
    return passed


def _gradients(module: Any, inputs: list[Any], value: Any, toward: list[Any]) -> dict[str, Any]:
    import torch

    pairs = [(r, t) for r, t in zip(_results(value), toward, strict=False) if t is not None]
    if any(getattr(result, "shape", None) != weights.shape for result, weights in pairs):
        return {}  # the judge compares the shapes
    total = sum((result * weights).sum() for result, weights in pairs)
    # a parameter with two names has a gradient under each name
    named = {f"input {place}": tensor for place, tensor in enumerate(inputs)}
    named |= {name: tensor for name, tensor, kind in _tensors(module) if kind == "parameter"}
    variables = {
        name: tensor
        for name, tensor in named.items()
        if isinstance(tensor, torch.Tensor) and tensor.requires_grad
    }
    if not isinstance(total, torch.Tensor) or not total.requires_grad or not variables:
        return dict.fromkeys(variables)
    once = {id(tensor): tensor for tensor in variables.values()}
    found = torch.autograd.grad(total, list(once.values()), allow_unused=True)
    by_id = dict(zip(once, found, strict=True))
    return {name: by_id[id(tensor)] for name, tensor in variables.items()}
