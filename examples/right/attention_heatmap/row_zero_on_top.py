import matplotlib.pyplot as plt
import numpy as np


def plot_attention(weights, tokens, title=None):
    n = len(tokens)
    fig, ax = plt.subplots()
    mesh = ax.pcolormesh(weights[::-1])  # row 0 at the top
    ax.set_xticks(np.arange(n) + 0.5, tokens)
    ax.set_yticks(np.arange(n) + 0.5, tokens[::-1])
    fig.supxlabel("key")
    fig.supylabel("query")
    fig.colorbar(mesh)
    for i in range(n):
        for j in range(n):
            ax.text(j + 0.5, n - i - 0.5, f"{weights[i, j]:.2f}", ha="center", color="w")
    if title:
        ax.set_title(title)
    return fig


def soft(s):
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def plot_mask_effect(scores, mask):
    blocked = np.asarray(mask) == 0
    after = soft(np.where(blocked, -np.inf, scores))
    fig, axs = plt.subplots(1, 3)
    axs[0].imshow(np.ma.masked_where(blocked, np.asarray(mask, float)))
    axs[1].imshow(soft(scores))
    axs[2].imshow(np.ma.masked_where(blocked, after))  # what is blocked stays blank
    return fig
