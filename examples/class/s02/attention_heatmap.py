import numpy as np
import matplotlib.pyplot as plt


def plot_attention(weights, tokens, title=None):
    fig = plt.figure(figsize=(5, 5))
    ax = fig.add_subplot(111)
    im = ax.matshow(weights)
    plt.colorbar(im)
    plt.xticks(np.arange(len(tokens)), tokens)
    plt.yticks(np.arange(len(tokens)), tokens)
    plt.xlabel("to")
    plt.ylabel("from")
    for (row, column), value in np.ndenumerate(np.asarray(weights)):
        plt.annotate(f"{value:.3f}", (column, row), ha="center", va="center")
    if title is not None:
        plt.suptitle(title)
    return fig


def weights_of(scores):
    scores = scores - np.max(scores, axis=-1)[:, None]
    return np.exp(scores) / np.exp(scores).sum(-1)[:, None]


def plot_mask_effect(scores, mask):
    fig = plt.figure(figsize=(12, 4))
    masked = np.array(scores, dtype=float)
    masked[np.asarray(mask) == 0] = -np.inf
    for n, data in enumerate([np.asarray(mask).astype(int), weights_of(scores), weights_of(masked)]):
        fig.add_subplot(1, 3, n + 1).matshow(data)
    return fig
