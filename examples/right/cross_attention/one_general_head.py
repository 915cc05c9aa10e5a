import matplotlib.pyplot as plt
import numpy as np


class Head:
    def __init__(self, W_q, W_k, W_v, W_o):
        self.W_q, self.W_k, self.W_v, self.W_o = W_q, W_k, W_v, W_o

    def __call__(self, asks, answers, allowed):
        scores = (asks @ self.W_q) @ (answers @ self.W_k).swapaxes(-1, -2)
        scores = scores / np.sqrt(self.W_k.shape[1])
        scores = np.where(allowed, scores, np.finfo(scores.dtype).min)
        e = np.exp(scores - scores.max(-1, keepdims=True)) * allowed
        weights = e / e.sum(-1, keepdims=True)
        return weights @ (answers @ self.W_v @ self.W_o), weights


def real(memory, memory_mask):
    if memory_mask is None:
        memory_mask = np.ones(memory.shape[:-1])
    return np.expand_dims(np.asarray(memory_mask) != 0, -2)


def cross_attention(x, memory, W_q, W_k, W_v, W_o, memory_mask=None):
    return Head(W_q, W_k, W_v, W_o)(x, memory, real(memory, memory_mask))


def decoder_layer(x, memory, self_weights, cross_weights, memory_mask=None):
    positions = np.arange(x.shape[-2])
    causal = positions[:, None] >= positions[None, :]
    y = x + Head(*self_weights)(x, x, causal)[0]
    z = y + Head(*cross_weights)(y, memory, real(memory, memory_mask))[0]
    return z


def plot_alignment(weights, source, target):
    figure, axes = plt.subplots()
    shown = axes.imshow(weights, origin="lower", aspect="auto", cmap="magma")
    axes.set_xticks(np.arange(len(source)))
    axes.set_xticklabels(source)
    axes.set_yticks(np.arange(len(target)))
    axes.set_yticklabels(target)
    axes.set(xlabel="reads from", ylabel="written token", title="Cross-attention")
    plt.colorbar(shown, ax=axes, label="weight")
    return figure
