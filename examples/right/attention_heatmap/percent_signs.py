import matplotlib.pyplot as plt
import numpy as np


def heat(ax, values):
    return ax.imshow(values, cmap="magma", vmin=0.0, vmax=1.0)


def plot_attention(weights, tokens, title=None):
    fig, ax = plt.subplots()
    fig.colorbar(heat(ax, weights), ax=ax)
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_ticks(np.arange(len(tokens)), labels=tokens)
    ax.set_xlabel("Attending to")
    ax.set_ylabel("Attending from")
    for i, j in np.ndindex(*np.shape(weights)):
        ink = "white" if weights[i, j] < 0.5 else "black"
        ax.text(j, i, f"{100 * weights[i, j]:.1f} %", ha="center", va="center", color=ink)
    if title is not None:
        fig.suptitle(title)
    return fig


def plot_mask_effect(scores, mask):
    fig, (a, b, c) = plt.subplots(1, 3, sharey=True)
    full = np.exp(scores) / np.exp(scores).sum(-1, keepdims=True)
    low = scores + np.log(np.where(mask, 1.0, 1e-300))
    part = np.exp(low - low.max(-1, keepdims=True))
    heat(a, np.asarray(mask) * 1.0)
    heat(b, full)
    heat(c, part / part.sum(-1, keepdims=True))
    for ax, name in zip((a, b, c), ("mask", "before", "after")):
        ax.set_title(name)
    return fig
