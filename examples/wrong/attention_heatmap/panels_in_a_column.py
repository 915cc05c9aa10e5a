# mistake: the three images are below each other
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
    weights = np.array(weights, dtype=float)
    L = len(tokens)
    figure = plt.figure(figsize=(3 + 0.6 * L, 2.5 + 0.6 * L), layout="constrained")
    ax = figure.add_subplot(111)
    image = ax.imshow(weights, cmap="Blues", vmin=0.0, vmax=1.0)
    ax.set_xticks(range(L))
    ax.set_xticklabels(tokens, rotation=45, ha="right")
    ax.set_yticks(range(L))
    ax.set_yticklabels(tokens)
    ax.set_xlabel("Keys")
    ax.set_ylabel("Queries")
    for (row, column), w in np.ndenumerate(weights):
        ax.text(
            column, row, "%.2f" % w, ha="center", va="center", size=8,
            color="white" if w > 0.7 else "black",
        )
    figure.colorbar(image)
    if title is not None:
        figure.suptitle(title)
    return figure


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
    fig, axes = plt.subplots(3, 1, figsize=(5, 12), layout="constrained")
    panels = [(allowed, "mask"), (before, "weights without mask"), (after, "weights with mask")]
    for ax, (panel, name) in zip(axes, panels):
        image = ax.imshow(panel, vmin=0, vmax=1)
        ax.set_title(name)
        ax.set_xlabel("key")
        ax.set_ylabel("query")
        fig.colorbar(image, ax=ax, shrink=0.7)
    return fig
