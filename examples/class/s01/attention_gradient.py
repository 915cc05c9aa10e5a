import matplotlib.pyplot as plt
import numpy as np


def softmax_backward(p, dp):
    both = p * dp
    return both - p * np.sum(both, -1, keepdims=True)


def attention_backward(q, k, v, mask, do):
    scale = 1 / np.sqrt(q.shape[-1])
    logits = np.matmul(q * scale, np.swapaxes(k, -1, -2))
    if mask is not None:
        logits = logits + np.where(mask, 0.0, -np.inf)
    top = np.max(logits, axis=-1, keepdims=True)
    p = np.exp(logits - top - np.log(np.sum(np.exp(logits - top), axis=-1, keepdims=True)))
    dp = np.matmul(v, np.swapaxes(do, -1, -2)).swapaxes(-1, -2)
    ds = scale * softmax_backward(p, dp)
    dk = np.swapaxes(np.swapaxes(q, -1, -2) @ ds, -1, -2)
    dv = np.swapaxes(np.swapaxes(do, -1, -2) @ p, -1, -2)
    return [ds @ k, dk, dv]


def numeric_gradient(f, x, h=1e-5):
    x = np.asarray(x, dtype=float)
    gradient = np.zeros(x.size)
    for i in range(x.size):
        for sign in (1, -1):
            moved = x.flatten()
            moved[i] += sign * h
            gradient[i] += sign * f(moved.reshape(x.shape))
    return gradient.reshape(x.shape) / (2 * h)


def plot_error(f, gradient, x, steps):
    errors = np.array([np.ptp([0, *np.abs(numeric_gradient(f, x, h) - gradient).flat]) for h in steps])
    fig = plt.figure(figsize=(4, 4))
    ax = fig.add_axes([0.2, 0.2, 0.7, 0.65])
    ax.loglog(steps, errors, "s", label="central")
    ax.legend()
    ax.set(xlabel="$h$", ylabel="$|g - g_h|$", title="Central differences")
    return fig
