import matplotlib.pyplot as plt
import numpy as np


def merge(m, l, o, scores, v):
    """Put the old numbers in front, as one key with the score m."""
    every = np.concatenate([m[..., None], scores], axis=-1)
    top = every.max(axis=-1)
    shift = np.nan_to_num(top, neginf=0.0)
    e = np.exp(every - shift[..., None])
    old, new = e[..., 0], e[..., 1:]
    return top, old * l + new.sum(-1), old[..., None] * o + new @ v


def tiled_attention(q, k, v, block, mask=None):
    *front, queries, d = q.shape
    state = np.full((*front, queries), -np.inf), np.zeros((*front, queries))
    state = *state, np.zeros((*front, queries, v.shape[-1]))
    at = 0
    while at < k.shape[-2]:
        part = slice(at, at + block)
        s = q @ k[..., part, :].swapaxes(-2, -1) / d**0.5
        if mask is not None:
            columns = part if np.asarray(mask).shape[-1] > 1 else slice(None)
            s = np.where(np.asarray(mask)[..., columns], s, float("-inf"))
        state = merge(*state, s, v[..., part, :])
        at += block
    return state[2] / state[1][..., None]


def plot_running(scores, block):
    blocks = [scores[i : i + block] for i in range(0, len(scores), block)]
    m = np.maximum.accumulate([b.max() for b in blocks])
    l, last = [], 0.0
    for i, b in enumerate(blocks):
        last = last * (np.exp(m[i - 1] - m[i]) if i else 0.0) + np.exp(b - m[i]).sum()
        l.append(last)
    fig, ax = plt.subplots()
    x = np.arange(len(m)) + 1
    ax.step(x, m, where="post", label="m")
    ax.plot(x, l, "x", label="l")
    ax.set(xlabel="block", ylabel="m, l", title="m and l by block")
    fig.legend()
    return fig
