import math

import matplotlib.pyplot as plt
import numpy as np


def one_query(query, keys, values, allowed):
    scores = [float(query @ key) / math.sqrt(len(query)) for key in keys]
    top = max(score for score, ok in zip(scores, allowed) if ok)
    parts = [math.exp(score - top) if ok else 0.0 for score, ok in zip(scores, allowed)]
    weights = [part / sum(parts) for part in parts]
    return sum(weight * value for weight, value in zip(weights, values)), weights


def cross_attention(x, memory, W_q, W_k, W_v, W_o, memory_mask=None):
    if x.ndim > 2:
        masks = [None] * len(x) if memory_mask is None else memory_mask
        pairs = [
            cross_attention(one, other, W_q, W_k, W_v, W_o, mask)
            for one, other, mask in zip(x, memory, masks)
        ]
        return np.stack([pair[0] for pair in pairs]), np.stack([pair[1] for pair in pairs])
    allowed = [True] * len(memory) if memory_mask is None else list(memory_mask)
    keys, values = memory @ W_k, memory @ W_v
    rows = [one_query(row @ W_q, keys, values, allowed) for row in x]
    return np.array([row[0] @ W_o for row in rows]), np.array([row[1] for row in rows])


def decoder_layer(x, memory, self_weights, cross_weights, memory_mask=None):
    """Each target token is a query, and the target up to it is its memory."""
    y = np.empty_like(x)
    for i in range(x.shape[-2]):
        own = x[..., i : i + 1, :]
        y[..., i : i + 1, :] = own + cross_attention(own, x[..., : i + 1, :], *self_weights)[0]
    return y + cross_attention(y, memory, *cross_weights, memory_mask)[0]


def plot_alignment(weights, source, target):
    figure = plt.figure(figsize=(len(source) + 2, len(target) + 2))
    axes = figure.add_axes([0.2, 0.2, 0.6, 0.6])
    image = axes.matshow(weights, vmin=0, vmax=1, cmap="Greys")
    axes.xaxis.set_ticks_position("bottom")
    plt.xticks(range(len(source)), source, rotation=90)
    plt.yticks(range(len(target)), target)
    plt.xlabel("key")
    plt.ylabel("query")
    figure.suptitle("weights")
    plt.colorbar(image)
    return figure
