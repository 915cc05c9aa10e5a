import matplotlib.pyplot as plt
import numpy as np


def merge(m, l, o, scores, v):
    new = np.maximum(m, scores.max(axis=-1))
    safe = np.where(new == -np.inf, 0.0, new)
    old, e = np.exp(m - safe), np.exp(scores - safe[..., None])
    return new, old * l + e.sum(axis=-1), old[..., None] * o + e @ v


def tiled_attention(q, k, v, block, mask=None):
    scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    l = np.zeros(q.shape[:-1])
    state = l - np.inf, l, np.zeros((*l.shape, v.shape[-1]))
    for i in range(0, k.shape[-2], block):
        state = merge(*state, scores[..., i : i + block], v[..., i : i + block, :])
    return state[2] / state[1][..., None]


def plot_running(scores, block):
    parts = [scores[: i + block] for i in range(0, len(scores), block)]
    x = np.arange(1, len(parts) + 1)
    figure, axes = plt.subplots()
    axes.plot(x, [part.max() for part in parts])
    axes.plot(x, [np.exp(part - part.max()).sum() for part in parts])
    axes.set(xlabel="block", ylabel="maximum and sum", title="Running numbers")
    return figure
