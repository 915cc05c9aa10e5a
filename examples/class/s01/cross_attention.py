import matplotlib.pyplot as plt
import numpy as np


def attend(queries, keys, values, bias):
    scores = np.einsum("...qd,...kd->...qk", queries, keys) / keys.shape[-1] ** 0.5 + bias
    scores -= np.max(scores, axis=-1, keepdims=True)
    weights = np.exp(scores)
    weights /= np.sum(weights, axis=-1, keepdims=True)
    return np.einsum("...qk,...kd->...qd", weights, values), weights


def cross_attention(x, memory, W_q, W_k, W_v, W_o, memory_mask=None):
    bias = 0.0
    if memory_mask is not None:
        bias = np.where(np.asarray(memory_mask) == 1, 0.0, -1e9)[..., None, :]
    mixed, weights = attend(x @ W_q, memory @ W_k, memory @ W_v, bias)
    return mixed @ W_o, weights


def decoder_layer(x, memory, self_weights, cross_weights, memory_mask=None):
    W_q, W_k, W_v, W_o = self_weights
    later = np.triu(np.full((x.shape[-2], x.shape[-2]), -1e9), k=1)
    x = x + attend(x @ W_q, x @ W_k, x @ W_v, later)[0] @ W_o
    output, _ = cross_attention(x, memory, *cross_weights, memory_mask=memory_mask)
    return x + output


def plot_alignment(weights, source, target):
    fig, ax = plt.subplots()
    mesh = ax.pcolormesh(weights)
    ax.set_xticks(np.arange(len(source)) + 0.5, labels=source)
    ax.set_yticks(np.arange(len(target)) + 0.5, labels=target)
    ax.invert_yaxis()
    ax.set_xlabel("tokens of the memory")
    ax.set_ylabel("tokens that attend")
    ax.set_title("Alignment")
    fig.colorbar(mesh)
    return fig
