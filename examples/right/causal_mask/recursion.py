import numpy as np


def create_causal_mask(seq_len):
    if seq_len == 1:
        return np.ones((1, 1), dtype=bool)
    smaller = create_causal_mask(seq_len - 1)
    mask = np.zeros((seq_len, seq_len), dtype=bool)
    mask[:-1, :-1] = smaller
    mask[-1] = True
    return mask


def apply_mask(scores, mask):
    return np.choose(np.broadcast_to(np.asarray(mask).astype(int), scores.shape), [-1e9, scores])


def masked_attention_weights(scores, mask):
    blocked = apply_mask(scores, mask)
    e = np.exp(blocked - blocked.max(-1, keepdims=True))
    total = e.sum(-1, keepdims=True) + 1e-9
    return e / total


def count_visible(seq_len):
    return [1] if seq_len == 1 else [*count_visible(seq_len - 1), seq_len]
