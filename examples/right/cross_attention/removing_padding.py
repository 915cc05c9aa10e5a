import matplotlib.pyplot as plt
import numpy as np


def softmax(z):
    e = np.exp(z - z.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def cross_attention(x, memory, W_q, W_k, W_v, W_o, memory_mask=None):
    """Padding is removed from each text before anything is computed."""
    batch, L, L_memory = x.shape[:-2], x.shape[-2], memory.shape[-2]
    output = np.zeros((*batch, L, W_o.shape[1]))
    weights = np.zeros((*batch, L, L_memory))
    for place in np.ndindex(batch):
        keep = np.arange(L_memory)
        if memory_mask is not None:
            keep = np.flatnonzero(np.asarray(memory_mask)[place])
        kept = memory[place][keep]
        rows = softmax(x[place] @ W_q @ (kept @ W_k).T / np.sqrt(W_q.shape[1]))
        weights[place][:, keep] = rows
        output[place] = rows @ (kept @ W_v) @ W_o
    return output, weights


def decoder_layer(x, memory, self_weights, cross_weights, memory_mask=None):
    y = x.copy()
    W_q, W_k, W_v, W_o = self_weights
    d_k = W_k.shape[1]
    for i in range(x.shape[-2]):
        seen = x[..., : i + 1, :]
        scores = np.sum((x[..., i, None, :] @ W_q) * (seen @ W_k), axis=-1) / np.sqrt(d_k)
        y[..., i, :] += np.sum(softmax(scores)[..., None] * (seen @ W_v), axis=-2) @ W_o
    return y + cross_attention(y, memory, *cross_weights, memory_mask)[0]


def plot_alignment(weights, source, target):
    fig = plt.figure()
    plt.imshow(np.array(weights), interpolation="nearest")
    plt.xticks(ticks=range(len(source)), labels=source)
    plt.yticks(ticks=range(len(target)), labels=target)
    plt.xlabel("input sentence")
    plt.ylabel("output sentence")
    plt.title("who reads whom")
    plt.colorbar()
    return fig
