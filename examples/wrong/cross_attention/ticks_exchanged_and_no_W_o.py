# mistake: the weights are drawn transposed with the ticks to match; the output is not multiplied by W_o
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
    return weights @ v, weights


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
    im = ax.imshow(np.transpose(weights), cmap="Greys")
    plt.colorbar(im, ax=ax)
    ax.set_yticks(np.arange(len(source)))
    ax.set_yticklabels(source)
    ax.set_xticks(np.arange(len(target)))
    ax.set_xticklabels(target)
    ax.set_ylabel("source token")
    ax.set_xlabel("target token")
    ax.set_title("Alignment")
    return fig
