# mistake: the mask of the memory has its new axis last; plot_alignment has no title
import matplotlib.pyplot as plt
import numpy as np


def softmax(z):
    e = np.exp(z - z.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def cross_attention(x, memory, W_q, W_k, W_v, W_o, memory_mask=None):
    Q, K, V = x @ W_q, memory @ W_k, memory @ W_v
    scores = Q @ K.swapaxes(-1, -2) / np.sqrt(K.shape[-1])
    if memory_mask is not None:
        scores = np.where(memory_mask[..., None], scores, -1e9)
    weights = softmax(scores)
    return weights @ V @ W_o, weights


def decoder_layer(x, memory, self_weights, cross_weights, memory_mask=None):
    W_q, W_k, W_v, W_o = self_weights
    scores = (x @ W_q) @ (x @ W_k).swapaxes(-1, -2) / np.sqrt(W_k.shape[-1])
    scores = np.where(np.tril(np.ones(scores.shape[-2:])) == 1, scores, -1e9)
    y = x + softmax(scores) @ (x @ W_v) @ W_o
    return y + cross_attention(y, memory, *cross_weights, memory_mask)[0]


def plot_alignment(weights, source, target):
    fig, ax = plt.subplots()
    im = ax.imshow(weights)
    ax.set_xticks(range(len(source)), source)
    ax.set_yticks(range(len(target)), target)
    ax.set_xlabel("source")
    ax.set_ylabel("target")
    fig.colorbar(im)
    return fig
