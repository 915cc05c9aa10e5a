import numpy as np


def create_causal_mask(seq_len):
    return np.tril(np.ones((seq_len, seq_len)))


def apply_mask(scores, mask):
    return scores * mask


def masked_attention_weights(scores, mask):
    e = np.exp(scores - scores.max(-1, keepdims=True))
    weights = e / e.sum(-1, keepdims=True)
    return weights * mask


def count_visible(seq_len):
    return [i + 1 for i in range(seq_len)]
