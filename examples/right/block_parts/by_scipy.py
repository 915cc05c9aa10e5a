import numpy as np

try:
    from scipy.special import expit
except ImportError:

    def expit(z):
        return np.exp(-np.logaddexp(0, -z))


def layer_norm(x, g, b, eps=1e-5):
    x = x - x.mean(-1, keepdims=True)
    x = x / np.sqrt(x.var(-1, keepdims=True, ddof=0) + eps)
    x = x * g
    x = x + b
    return x


def rms_norm(x, g, eps=1e-5):
    return np.multiply(x / np.sqrt(np.average(x**2, axis=-1, keepdims=True) + eps), g)


def swiglu(x, W, V, W2):
    both = x @ np.concatenate([W, V], axis=1)
    z, value = np.split(both, 2, axis=-1)
    return (z * expit(z) * value).dot(W2)


def pre_norm(x, f, norm):
    branch = f(norm(x))
    assert branch.shape == x.shape
    return branch + x
