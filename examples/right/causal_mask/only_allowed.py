import numpy as np


def create_causal_mask(seq_len):
    mask = np.zeros((seq_len, seq_len), dtype=np.int8)
    for i in range(seq_len):
        mask[i, : i + 1] = 1
    return mask


def apply_mask(scores, mask):
    mask = np.asarray(mask) != 0
    return np.where(mask, scores, np.finfo(np.float64).min)


def masked_attention_weights(scores, mask):
    allowed = np.broadcast_to(np.asarray(mask) != 0, np.shape(scores))
    weights = np.zeros(np.shape(scores))
    for place in np.ndindex(*np.shape(scores)[:-1]):
        kept = np.asarray(scores)[place][allowed[place]]
        e = np.exp(kept - kept.max())
        weights[place][allowed[place]] = e / e.sum()
    return weights


def count_visible(seq_len):
    counts = []
    while len(counts) < seq_len:
        counts.append(len(counts) + 1)
    return counts
