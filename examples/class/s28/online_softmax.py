import matplotlib.pyplot as plt
import numpy as np


def merge(m, l, o, scores, v):
    new_m = np.maximum(m, scores.max(axis=-1))
    safe = np.where(np.isinf(new_m), 0.0, new_m)
    factor = np.exp(m - safe)
    e = np.exp(scores - safe[..., None])
    new_l = factor * l + e.sum(axis=-1)
    new_o = factor[..., None] * o + e @ v
    return new_m, new_l, new_o


def tiled_attention(q, k, v, block, mask=None):
    scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])
    if mask is not None:
        scores = np.where(np.asarray(mask).astype(bool), scores, -np.inf)
    m = np.zeros(scores.shape[:-1])
    l = np.zeros(scores.shape[:-1])
    o = np.zeros(scores.shape[:-1] + (v.shape[-1],))
    for start in range(0, k.shape[-2], block):
        stop = start + block
        m, l, o = merge(m, l, o, scores[..., start:stop], v[..., start:stop, :])
    return o / l[..., None]


def plot_running(scores, block):
    maxima, sums = [], []
    m, l = -np.inf, 0.0
    for start in range(0, len(scores), block):
        part = scores[start : start + block]
        new = max(m, part.max())
        l = l * np.exp(m - new) + np.exp(part - new).sum()
        m = new
        maxima.append(m)
        sums.append(l)
    fig, ax = plt.subplots()
    blocks = range(1, len(maxima) + 1)
    ax.plot(blocks, maxima, label="maximum")
    ax.plot(blocks, sums, label="sum")
    ax.set_xlabel("block")
    ax.set_ylabel("value")
    ax.set_title("Running maximum and sum")
    ax.legend()
    return fig
