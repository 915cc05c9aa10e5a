import matplotlib.pyplot as plt
import numpy as np


def merge(m, l, o, scores, v):
    """Differences of infinities are NaN: they stand for "nothing yet"."""
    top = np.maximum(m, scores.max(axis=-1))
    keep = np.nan_to_num(np.exp(m - top))
    e = np.nan_to_num(np.exp(scores - np.expand_dims(top, -1)))
    return [top, l * keep + e.sum(axis=-1), o * np.expand_dims(keep, -1) + e @ v]


def tiled_attention(q, k, v, block, mask=None):
    n, d = k.shape[-2:]
    state = np.full(q.shape[:-1], -np.inf), np.zeros(q.shape[:-1]), 0 * (q[..., :1] @ v[..., :1, :])
    order = list(range(0, n, block))
    for start in reversed(order):
        idx = np.arange(start, min(n, start + block))
        s = (q / np.sqrt(d)) @ np.moveaxis(np.take(k, idx, axis=-2), -1, -2)
        if mask is not None:
            full = np.broadcast_to(mask, (*s.shape[:-1], n))
            s = np.where(full[..., idx] == 1, s, -np.inf)
        state = merge(*state, s, np.take(v, idx, axis=-2))
    return state[2] / state[1][..., None]


def plot_running(scores, block):
    ends = np.append(np.arange(block, len(scores), block), len(scores))
    m = [np.max(scores[:end]) for end in ends]
    l = [np.sum(np.exp(scores[:end] - np.max(scores[:end]))) for end in ends]
    figure, axes = plt.subplots(1, 2)
    for ax, y, name in zip(axes, (m, l), ("m", "l")):
        ax.plot(np.arange(1, len(ends) + 1), y)
        ax.set(xlabel="blocks", ylabel=name, title=name)
    return figure
