import matplotlib.pyplot as plt
import numpy as np


def plot_attention(weights, tokens, title=None):
    weights = np.asarray(weights)
    fig, ax = plt.subplots()
    mesh = ax.pcolormesh(weights, cmap="viridis")
    ax.invert_yaxis()
    places = np.arange(len(tokens)) + 0.5
    ax.set_xticks(places)
    ax.set_xticklabels(tokens, rotation=45)
    ax.set_yticks(places)
    ax.set_yticklabels(tokens)
    ax.set_xlabel("attended word (key)")
    ax.set_ylabel("attending word (query)")
    for i in range(len(tokens)):
        for j in range(len(tokens)):
            ax.text(j + 0.5, i + 0.5, "{:.0%}".format(weights[i, j]), ha="center")
    fig.colorbar(mesh, ax=ax)
    if title:
        ax.set_title(title)
    return fig


def plot_mask_effect(scores, mask):
    def soft(x):
        e = np.exp(x - x.max(1, keepdims=True))
        return e / e.sum(1, keepdims=True)

    fig, axs = plt.subplots(ncols=3)
    low = np.where(np.asarray(mask) == 1, scores, -1e9)
    for ax, data in zip(axs, (np.asarray(mask, float), soft(scores), soft(low))):
        mesh = ax.pcolormesh(data, vmin=0, vmax=1)
        ax.invert_yaxis()
    fig.colorbar(mesh, ax=axs)
    return fig
