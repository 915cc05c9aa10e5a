# mistake: the output replaces x: the first sum is missing
import matplotlib.pyplot as plt
import numpy as np


def cross_attention(x, memory, W_q, W_k, W_v, W_o, memory_mask=None):
    q = x @ W_q
    k = memory @ W_k
    v = memory @ W_v
    scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(W_k.shape[1])
    if memory_mask is not None:
        allowed = np.asarray(memory_mask).astype(bool)[..., None, :]
        scores = np.where(allowed, scores, -np.inf)
    scores = scores - scores.max(axis=-1, keepdims=True)
    weights = np.exp(scores)
    weights = weights / weights.sum(axis=-1, keepdims=True)
    return weights @ v @ W_o, weights


def decoder_layer(x, memory, self_weights, cross_weights, memory_mask=None):
    W_q, W_k, W_v, W_o = self_weights
    q, k, v = x @ W_q, x @ W_k, x @ W_v
    scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(W_k.shape[1])
    L = x.shape[-2]
    scores = np.where(np.tril(np.ones((L, L), dtype=bool)), scores, -np.inf)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = weights / weights.sum(axis=-1, keepdims=True)
    y = weights @ v @ W_o
    return y + cross_attention(y, memory, *cross_weights, memory_mask)[0]


def plot_alignment(weights, source, target):
    fig, ax = plt.subplots()
    image = ax.imshow(weights)
    ax.set_xticks(range(len(source)), source)
    ax.set_yticks(range(len(target)), target)
    ax.set_xlabel("source")
    ax.set_ylabel("target")
    ax.set_title("Who reads whom")
    fig.colorbar(image)
    return fig
