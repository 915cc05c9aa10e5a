import numpy as np


def create_causal_mask(seq_len):
    return np.tril(np.ones((seq_len, seq_len)))


def apply_mask(scores, mask):
    return np.where(np.asarray(mask) == 1, scores, -1e9)


create_causal_mask(3) @ np.ones(4)


def masked_attention_weights(scores, mask):
    return None
