# kind: wrong
# mistake: the heads of a mask with three axes are taken for the batch of scores with four axes
import numpy as np


def create_causal_mask(seq_len):
    return np.tril(np.ones((seq_len, seq_len), dtype=bool))


def apply_mask(scores, mask):
    mask = np.asarray(mask)
    if mask.ndim == 3 and np.ndim(scores) == 4:
        mask = mask[:, np.newaxis]
    return np.where(mask, scores, -np.inf)


def masked_attention_weights(scores, mask):
    masked = apply_mask(scores, mask)
    exponentials = np.exp(masked - masked.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


def count_visible(seq_len):
    return [int(row.sum()) for row in create_causal_mask(seq_len)]
