import numpy as np


def create_causal_mask(seq_len):
    return np.tril(np.ones((seq_len, seq_len)))


def apply_mask(scores, mask):
    return np.where(np.asarray(mask) == 1, scores, -1e9)


def masked_attention_weights(scores, mask):
    s = apply_mask(scores, mask)
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def count_visible(seq_len):
    return range(1, seq_len + 1)
