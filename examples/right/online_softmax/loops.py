import math

import matplotlib.pyplot as plt
import numpy as np


def merge(m, l, o, scores, v):
    """One query at a time."""
    m_new, l_new, o_new = np.array(m), np.array(l), np.array(o)
    for place in np.ndindex(m.shape):
        for j, s in enumerate(scores[place]):
            if s == -math.inf:
                continue
            value = v[place[:-1]][j]
            if s > m_new[place]:
                shrink = math.exp(m_new[place] - s)
                l_new[place] *= shrink
                o_new[place] *= shrink
                m_new[place] = s
            weight = math.exp(s - m_new[place])
            l_new[place] += weight
            o_new[place] += weight * value
    return m_new, l_new, o_new


def tiled_attention(q, k, v, block, mask=None):
    n = k.shape[-2]
    m = np.full(q.shape[:-1], -np.inf)
    l = np.zeros(q.shape[:-1])
    o = np.zeros(q.shape[:-1] + v.shape[-1:])
    first = 0
    while first < n:
        last = min(first + block, n)
        scores = np.einsum("...id,...jd->...ij", q, k[..., first:last, :]) / math.sqrt(q.shape[-1])
        if mask is not None:
            seen = mask if np.shape(mask)[-1] == 1 else mask[..., first:last]
            scores = np.where(seen, scores, -np.inf)
        m, l, o = merge(m, l, o, scores, v[..., first:last, :])
        first = last
    return o / l[..., np.newaxis]


def plot_running(scores, block):
    xs, ms, ls = [], [], []
    for end in range(block, len(scores) + block, block):
        seen = scores[:end]
        xs.append(len(xs) + 1)
        ms.append(seen.max())
        ls.append(np.exp(seen - seen.max()).sum())
    fig, ax = plt.subplots()
    ax.plot(xs, ms, "o-", label="max")
    ax.plot(xs, ls, "s--", label="sum")
    ax.set_xlabel("block")
    ax.set_ylabel("value")
    ax.set_title("online softmax")
    ax.legend()
    return fig
