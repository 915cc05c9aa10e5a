import matplotlib.pyplot as plt
import numpy as np


def plot_attention(weights, tokens, title=None):
    fig, ax = plt.subplots()
    ax.imshow(np.array(weights).T)
    ax.set_xticks(range(len(tokens)), tokens)
    ax.set_yticks(range(len(tokens)), tokens)
    ax.set_xlabel("query")
    ax.set_ylabel("key")
    ax.set_title(title)
    return fig


def plot_mask_effect(scores, mask):
    e = np.exp(scores)
    weights = e / e.sum(axis=1, keepdims=True)
    fig, axes = plt.subplots(1, 3)
    axes[0].imshow(mask)
    axes[1].imshow(weights)
    axes[2].imshow(weights * mask)
    return fig
