import matplotlib.pyplot as plt
import numpy as np


def softmax_backward(p, dp):
    mean = np.einsum("...j,...j->...", p, dp)
    return np.einsum("...j,...j->...j", p, dp - mean[..., None])


def attention_backward(q, k, v, mask, do):
    """The weighted mean of dP is computed from the output, as in FlashAttention."""
    s = np.einsum("...id,...jd->...ij", q, k) * k.shape[-1] ** -0.5
    s = s if mask is None else np.where(mask, s, -1e30)
    p = np.exp(s - s.max(-1, keepdims=True))
    p /= p.sum(-1, keepdims=True)
    o = p @ v
    delta = (do * o).sum(-1, keepdims=True)
    ds = p * (np.einsum("...ic,...jc->...ij", do, v) - delta) * k.shape[-1] ** -0.5
    return ds @ k, np.einsum("...ij,...id->...jd", ds, q), np.einsum("...ij,...ic->...jc", p, do)


def numeric_gradient(f, x, h=1e-5):
    base = np.asarray(x) * 1.0
    units = np.eye(base.size).reshape(base.size, *base.shape)
    values = [(f(base + h * unit) - f(base - h * unit)) / (2 * h) for unit in units]
    return np.array(values).reshape(base.shape)


def plot_error(f, gradient, x, steps):
    fig, ax = plt.subplots()
    ax.plot(steps, [np.max(abs(numeric_gradient(f, x, h) - gradient)) for h in steps], "k.-")
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.set_xlabel("h")
    ax.set_ylabel("error")
    ax.set_title("Numeric gradient")
    return fig
