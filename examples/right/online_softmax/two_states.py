import matplotlib.pyplot as plt
import numpy as np


def combine(one, two):
    """Join the numbers of two sets of keys, whichever came first."""
    m = np.maximum(one[0], two[0])
    total, output = 0, 0
    for m_i, l_i, o_i in (one, two):
        f = np.exp(np.where(m_i == -np.inf, -np.inf, m_i - np.where(m == -np.inf, 0, m)))
        total, output = total + f * l_i, output + f[..., None] * o_i
    return m, total, output


def merge(m, l, o, scores, v):
    own = scores.max(axis=-1)
    e = np.exp(scores - np.where(np.isfinite(own), own, 0.0)[..., None])
    return combine((m, l, o), (own, e.sum(axis=-1), e @ v))


def tiled_attention(q, k, v, block, mask=None):
    scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(k.shape[-1])
    if mask is not None:
        scores = scores + np.where(np.asarray(mask) != 0, 0.0, -np.inf)
    m = np.full(scores.shape[:-1], -np.inf)
    l, o = np.zeros_like(m), np.zeros((*m.shape, v.shape[-1]))
    for b in range(-(-k.shape[-2] // block)):
        part = slice(b * block, (b + 1) * block)
        m, l, o = merge(m, l, o, scores=scores[..., part], v=v[..., part, :])
    return o / l[..., None]


def plot_running(scores, block):
    m, l, o = np.array([-np.inf]), np.zeros(1), np.zeros((1, 1))
    maxima, sums = [], []
    for i in range(0, scores.shape[0], block):
        s = scores[i : i + block]
        m, l, o = merge(m, l, o, s[None], s[:, None])
        maxima.append(m[0])
        sums.append(l[0])
    fig = plt.figure()
    x = range(1, 1 + len(sums))
    plt.plot(x, maxima, marker=".", label="largest score")
    plt.plot(x, sums, marker=".", label="sum of exponentials")
    plt.xlabel("number of blocks")
    plt.ylabel("running value")
    plt.title("Running numbers")
    plt.legend()
    return fig
