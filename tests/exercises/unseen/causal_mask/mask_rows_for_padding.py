# kind: wrong
# mistake: a mask with as many rows as there are sequences is taken for padding
import numpy as np


def create_causal_mask(seq_len):
    return np.tril(np.ones((seq_len, seq_len), dtype=bool))


def apply_mask(scores, mask):
    mask = np.asarray(mask)
    if mask.ndim == 2 and np.ndim(scores) == 3 and len(mask) == len(scores):
        mask = mask[:, np.newaxis, :]
    return np.where(mask, scores, -np.inf)


def masked_attention_weights(scores, mask):
    masked = apply_mask(scores, mask)
    exponentials = np.exp(masked - masked.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


def count_visible(seq_len):
    return [int(row.sum()) for row in create_causal_mask(seq_len)]
