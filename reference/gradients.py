"""Gradients of attention, in named steps, and central differences."""

from collections.abc import Callable

import numpy as np

from reference.attention import Array, Mask, block, scale, scores, softmax


def weighted_mean(p: Array, dp: Array) -> Array:
    """Return the mean of each row of `dp` with the weights `p`, with the last axis kept."""
    return np.asarray((p * dp).sum(axis=-1, keepdims=True))


def softmax_backward(p: Array, dp: Array) -> Array:
    """Return the gradient of the scores from `dp`, the gradient of the weights."""
    return p * (dp - weighted_mean(p, dp))


def transposed(x: Array) -> Array:
    return np.swapaxes(x, -1, -2)


def central(f: Callable[[Array], float], x: Array, step: Array) -> float:
    return float(f(x + step) - f(x - step))


def differences(
    f: Callable[[Array], float],
    x: Array,
    h: float,
    change: Callable[[Callable[[Array], float], Array, Array], float] = central,
) -> Array:
    """Return the change of `f` for a step of `h` in each entry of `x`."""
    x = np.array(x, dtype=float)
    found = np.zeros_like(x)
    for place in np.ndindex(x.shape):
        step = np.zeros_like(x)
        step[place] = h
        found[place] = change(f, x, step)
    return found


def numeric_gradient(f: Callable[[Array], float], x: Array, h: float = 1e-5) -> Array:
    """Return the gradient of `f` at `x` by central differences."""
    return differences(f, x, h) / (2 * h)


def weights_of(q: Array, k: Array, mask: Mask | None = None) -> Array:
    return softmax(block(scale(scores(q, k), k.shape[-1]), mask))


def attention_backward_from(q: Array, k: Array, p: Array, ds: Array, do: Array) -> list[Array]:
    """Return the gradients of queries, keys and values. `ds` is the gradient of the scores."""
    dq, dk = scale(ds @ k, k.shape[-1]), scale(transposed(ds) @ q, k.shape[-1])
    return [dq, dk, transposed(p) @ do]


def attention_backward(q: Array, k: Array, v: Array, mask: Mask | None, do: Array) -> list[Array]:
    """Return the gradients of queries, keys and values."""
    p = weights_of(q, k, mask)
    ds = softmax_backward(p, do @ transposed(v))
    return attention_backward_from(q, k, p, ds, do)


def coefficients(x: Array) -> Array:
    return np.arange(1.0, np.size(x) + 1).reshape(np.shape(x))


def gradient_of_cubes(x: Array, h: float = 0.0) -> Array:
    """Return the gradient of x₀³ + 2·x₁³ + 3·x₂³ + … by central differences with the step `h`."""
    return coefficients(x) * (3.0 * np.square(x) + h * h)


def largest_errors(gradient: Array, x: Array, steps: Array) -> Array:
    return np.array([np.abs(gradient_of_cubes(x, float(h)) - gradient).max() for h in steps])
