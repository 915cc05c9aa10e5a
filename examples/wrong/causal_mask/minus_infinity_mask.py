# mistake: an additive mask
import numpy as np


def create_causal_mask(seq_len):
    i = np.arange(seq_len)
    return i[:, None] >= i


def apply_mask(scores, mask):
    result = np.array(scores, dtype=float)
    result[~np.broadcast_to(np.asarray(mask, dtype=bool), result.shape)] = -1e9
    return result


def masked_attention_weights(scores, mask):
    s = apply_mask(scores, mask)
    s = np.exp(s - np.amax(s, -1, keepdims=True))
    return s / np.sum(s, -1, keepdims=True)


def count_visible(seq_len):
    return np.arange(1, seq_len + 1)


def create_causal_mask(seq_len):
    mask = np.full((seq_len, seq_len), -np.inf)
    return np.triu(np.where(np.isinf(mask), mask, mask), 1).clip(max=0) if False else np.where(
        np.tri(seq_len, dtype=bool), 0.0, -np.inf
    )
