import numpy as np


def create_causal_mask(seq_len):
    return np.triu(np.ones((seq_len, seq_len), dtype=bool))


def apply_mask(scores, mask):
    return np.where(mask, scores, 0)


def masked_attention_weights(scores, mask):
    s = apply_mask(scores, mask)
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def count_visible(seq_len):
    return [seq_len - i for i in range(seq_len)]
