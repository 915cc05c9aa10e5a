# mistake: the limits of the axes cut the outer cells in half
import matplotlib.pyplot as plt
import numpy as np


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def plot_attention(weights, tokens, title=None):
    """A heat map of the weights: queries on the y axis, keys on the x axis.

    weights: (L, L). tokens: L strings.
    title: a title, or None for a figure without one.
    Returns the matplotlib figure.
    """
    n = len(tokens)
    side = max(3.5, 0.65 * n)
    fig, ax = plt.subplots(figsize=(side + 1.5, side + 1), layout="constrained")
    image = ax.imshow(weights, cmap="viridis", vmin=0, vmax=1)
    fig.colorbar(image, ax=ax, label="attention weight")
    ax.set_xticks(np.arange(n), labels=tokens, rotation=90)
    ax.set_yticks(np.arange(n), labels=tokens)
    ax.set_xlabel("key (attending to)")
    ax.set_ylabel("query (attending from)")
    for i in range(n):
        for j in range(n):
            color = "white" if weights[i][j] < 0.45 else "black"
            ax.text(j, i, f"{weights[i][j]:.2f}", ha="center", va="center", color=color, fontsize=8)
    ax.set_xlim(0, max(n - 1, 1))
    ax.set_ylim(max(n - 1, 1), 0)
    if title is not None:
        ax.set_title(title)
    return fig


def plot_mask_effect(scores, mask):
    """Three images side by side: the mask, the weights without it and with it.

    scores: (L, L), already scaled.
    mask: (L, L), true (1) where a query may attend.
    Returns the matplotlib figure.
    """
    scores = np.asarray(scores, dtype=float)
    allowed = np.asarray(mask).astype(bool)
    before = softmax(scores)
    after = softmax(np.where(allowed, scores, -np.inf))
    fig, axes = plt.subplots(1, 3, figsize=(13, 4), layout="constrained")
    panels = [(allowed, "mask"), (before, "weights without mask"), (after, "weights with mask")]
    for ax, (panel, name) in zip(axes, panels):
        image = ax.imshow(panel, vmin=0, vmax=1)
        ax.set_title(name)
        ax.set_xlabel("key")
        ax.set_ylabel("query")
        fig.colorbar(image, ax=ax, shrink=0.7)
    return fig
