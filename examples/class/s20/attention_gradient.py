import matplotlib.pyplot as plt
import numpy as np


def softmax_backward(p, dp):
    mean = (p * dp).sum(axis=-1, keepdims=True)
    return p * (dp - mean)


def attention_backward(q, k, v, mask, do):
    root = np.sqrt(k.shape[-1])
    s = q @ k.swapaxes(-1, -2) / root
    if mask is not None:
        s = np.where(mask, s, -np.inf)
    p = np.exp(s - s.max(axis=-1, keepdims=True))
    p = p / p.sum(axis=-1, keepdims=True)
    dv = p.swapaxes(-1, -2) @ do
    dp = do @ v.swapaxes(-1, -2)
    ds = softmax_backward(p, dp)
    dq = ds @ k / root
    dk = ds.swapaxes(-1, -2) @ q / root
    return dq, dk, dv


def numeric_gradient(f, x, h=1e-5):
    x = np.array(x, dtype=float)
    grad = np.zeros(x.shape)
    for i in np.ndindex(x.shape):
        plus, minus = x.copy(), x.copy()
        plus[i] += h
        minus[i] -= h
        grad[i] = (f(plus) - f(x)) / h
    return grad


def plot_error(f, gradient, x, steps):
    errors = [np.max(np.abs(numeric_gradient(f, x, h) - gradient)) for h in steps]
    fig, ax = plt.subplots()
    ax.loglog(steps, errors, marker="o")
    ax.set_xlabel("step size h")
    ax.set_ylabel("largest error")
    ax.set_title("Error of central differences")
    return fig
