import matplotlib.pyplot as plt
import numpy as np


def merge(m, l, o, scores, v):
    m_new = np.maximum(m, np.max(scores, axis=-1))
    empty = m_new == -np.inf
    with np.errstate(invalid="ignore"):
        alpha = np.where(empty, 0.0, np.exp(m - m_new))
        p = np.where(empty[..., None], 0.0, np.exp(scores - m_new[..., None]))
    return m_new, alpha * l + p.sum(-1), alpha[..., None] * o + np.matmul(p, v)


def tiled_attention(q, k, v, block, mask=None):
    """All scores at once, and then merged piece by piece."""
    s = q @ k.swapaxes(-1, -2) * q.shape[-1] ** -0.5
    if mask is not None:
        s = np.where(np.broadcast_to(mask, s.shape), s, -np.inf)
    zero = np.zeros(s.shape[:-1])
    state = (zero - np.inf, zero, np.zeros((*zero.shape, v.shape[-1])))
    cuts = range(block, k.shape[-2], block)
    for part, values in zip(np.split(s, cuts, axis=-1), np.split(v, cuts, axis=-2)):
        state = merge(*state, part, values)
    m, l, o = state
    return o / np.expand_dims(l, -1)


def plot_running(scores, block):
    state = (np.array([-np.inf]), np.array([0.0]), np.array([[0.0]]))
    points = []
    for i in range(0, len(scores), block):
        s = scores[i : i + block].reshape(1, -1)
        state = merge(*state, s, np.ones((s.size, 1)))
        points.append((state[0].item(), state[1].item()))
    m, l = zip(*points)
    fig, left = plt.subplots()
    right = left.twinx()
    x = range(1, len(points) + 1)
    left.plot(x, m, color="tab:blue")
    right.scatter(x, l, color="tab:red")
    left.set_xlabel("blocks")
    left.set_ylabel("running maximum")
    right.set_ylabel("running sum")
    left.set_title("Softmax in one pass")
    return fig
