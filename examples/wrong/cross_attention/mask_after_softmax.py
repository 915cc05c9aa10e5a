# mistake: blocked weights are set to 0 after the softmax, so the rows do not sum to 1
import matplotlib.pyplot as plt
import numpy as np


def cross_attention(x, memory, W_q, W_k, W_v, W_o, memory_mask=None):
    scores = (x @ W_q) @ np.swapaxes(memory @ W_k, -1, -2) / W_k.shape[1] ** 0.5
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    if memory_mask is not None:
        weights = weights * np.expand_dims(memory_mask, -2)
    return weights @ (memory @ W_v) @ W_o, weights


def decoder_layer(x, memory, self_weights, cross_weights, memory_mask=None):
    W_q, W_k, W_v, W_o = self_weights
    q, k, v = x @ W_q, x @ W_k, x @ W_v
    scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(W_k.shape[1])
    L = x.shape[-2]
    scores = np.where(np.tril(np.ones((L, L), dtype=bool)), scores, -np.inf)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = weights / weights.sum(axis=-1, keepdims=True)
    y = x + weights @ v @ W_o
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
