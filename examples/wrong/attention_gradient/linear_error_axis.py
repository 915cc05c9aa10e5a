import matplotlib.pyplot as plt
import numpy as np


def dot_rows(a, b):
    return np.sum(a * b, axis=-1)[..., np.newaxis]


def softmax_backward(p, dp):
    """All differences of two entries of a row, weighted."""
    differences = dp[..., :, None] - dp[..., None, :]
    return p * (differences * p[..., None, :]).sum(axis=-1)


def attention_backward(q, k, v, mask, do):
    root = k.shape[-1] ** 0.5
    kt = np.swapaxes(k, -1, -2)
    scores = q @ kt / root
    if mask is not None:
        scores = scores.copy()
        scores[~np.broadcast_to(mask, scores.shape)] = -np.inf
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = weights / dot_rows(weights, 1.0)

    def back_through_product(a, b, dout):
        return dout @ np.swapaxes(b, -1, -2), np.swapaxes(a, -1, -2) @ dout

    dweights, dv = back_through_product(weights, v, do)
    dscores = softmax_backward(weights, dweights) / root
    dq, dkt = back_through_product(q, kt, dscores)
    return dq, np.swapaxes(dkt, -1, -2), dv


def numeric_gradient(f, x, h=1e-5):
    x = np.array(x, float)
    result = np.zeros_like(x)
    iterator = np.nditer(x, flags=["multi_index"])
    for _ in iterator:
        i = iterator.multi_index
        up, down = x.copy(), x.copy()
        up[i] += h
        down[i] -= h
        result[i] = (f(up) - f(down)) / 2 / h
    return result


def plot_error(f, gradient, x, steps):
    fig, axes = plt.subplots(1, 1)
    y = [float(np.amax(np.abs(gradient - numeric_gradient(f, x, step)))) for step in steps]
    axes.scatter(steps, y, marker="x")
    axes.plot(steps, y)
    axes.semilogx()
    axes.set_xlabel("size of the step")
    axes.set_ylabel("size of the error")
    axes.set_title("How good is the gradient?")
    return fig
