import numpy as np


def create_causal_mask(seq_len):
    return 1 - np.triu(np.ones((seq_len, seq_len)), k=1)


def apply_mask(scores, mask):
    low = np.zeros(np.shape(mask))
    low[np.asarray(mask) == 0] = -np.inf
    return scores + low


def masked_attention_weights(scores, mask):
    x = apply_mask(scores, mask)
    top = x.max(axis=-1, keepdims=True)
    return np.exp(x - top - np.log(np.exp(x - top).sum(axis=-1, keepdims=True)))


def count_visible(seq_len):
    return tuple(range(1, seq_len + 1))
