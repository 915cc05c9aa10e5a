"""Parts of a transformer block, in named steps: two normalisations, a gate and a residual."""

from collections.abc import Callable

import numpy as np

from reference.attention import Array


def deviations(x: Array) -> Array:
    """Return each feature minus the token's mean."""
    return x - x.mean(axis=-1, keepdims=True)


def mean_square(x: Array) -> Array:
    """Return the mean square of each token, with the last axis kept."""
    return np.asarray((x**2).mean(axis=-1, keepdims=True))


def root(square: Array, eps: float) -> Array:
    return np.asarray(np.sqrt(square + eps))


def layer_norm(x: Array, g: Array, b: Array, eps: float = 1e-5) -> Array:
    """Return each token with mean 0 and variance 1, times the gain, plus the shift."""
    centred = deviations(x)
    return g * centred / root(mean_square(centred), eps) + b


def rms_norm(x: Array, g: Array, eps: float = 1e-5) -> Array:
    """Return each token divided by its root mean square, times the gain."""
    return g * x / root(mean_square(x), eps)


def sigmoid(z: Array) -> Array:
    """Return 1 / (1 + e^(−z)). All exponentials have negative exponents, so none overflows."""
    small = np.exp(-np.abs(z))
    return np.where(z >= 0, 1.0, small) / (1.0 + small)


def silu(z: Array) -> Array:
    return z * sigmoid(z)


def swiglu(x: Array, W: Array, V: Array, W2: Array) -> Array:
    return (silu(x @ W) * (x @ V)) @ W2


def pre_norm(x: Array, f: Callable[[Array], Array], norm: Callable[[Array], Array]) -> Array:
    return x + f(norm(x))


def polynomial(coefficients: Array) -> Callable[[Array], Array]:
    """Return a polynomial. The first coefficient belongs to the highest power."""
    return lambda x: np.asarray(np.polyval(coefficients, x))


def pre_norm_of(x: Array, f: Array, norm: Array) -> Array:
    """Return pre_norm's result. `f` and `norm` are lists of polynomial coefficients."""
    return pre_norm(x, polynomial(f), polynomial(norm))
