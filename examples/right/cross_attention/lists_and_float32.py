import matplotlib.pyplot as plt
import numpy as np
from scipy.special import softmax


def cross_attention(x, memory, W_q, W_k, W_v, W_o, memory_mask=None):
    x, memory = np.float32(x), np.float32(memory)
    Wq, Wk, Wv, Wo = (np.asarray(w, np.float32) for w in (W_q, W_k, W_v, W_o))
    s = np.matmul(np.matmul(x, Wq), np.moveaxis(np.matmul(memory, Wk), -1, -2))
    s = s / np.sqrt(Wk.shape[1], dtype=np.float32)
    if memory_mask is not None:
        blocked = np.broadcast_to(~np.asarray(memory_mask, bool)[..., None, :], s.shape)
        s[blocked] = -np.inf
    w = softmax(s, axis=-1)
    return [np.matmul(np.matmul(w, np.matmul(memory, Wv)), Wo), w]


def decoder_layer(x, memory, self_weights, cross_weights, memory_mask=None):
    n = x.shape[-2]
    # one padding mask per target token, with the tokens as one more batch axis
    alone = np.expand_dims(x, -2)
    texts = np.broadcast_to(np.expand_dims(x, -3), (*x.shape[:-2], n, n, x.shape[-1]))
    earlier = np.broadcast_to(np.tri(n), (*x.shape[:-2], n, n))
    y = x + cross_attention(alone, texts, *self_weights, earlier)[0][..., 0, :]
    return (y + cross_attention(y, memory, *cross_weights, memory_mask)[0]).astype(np.float32)


def plot_alignment(weights, source, target):
    figure, axes = plt.subplots()
    axes.set_title("Alignment of two texts")
    colours = axes.imshow(weights, cmap="Blues")
    figure.colorbar(colours, ax=axes)
    axes.set_xlabel("encoder")
    axes.set_ylabel("decoder")
    axes.xaxis.set_ticks(range(len(source)), labels=source)
    axes.yaxis.set_ticks(range(len(target)), labels=target)
    return figure
