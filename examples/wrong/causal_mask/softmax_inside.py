# mistake: apply_mask returns weights
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


def apply_mask(scores, mask):
    low = np.where(np.asarray(mask) != 0, scores, -np.inf)
    e = np.exp(low - low.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)
