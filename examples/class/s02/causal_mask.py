import math

import numpy as np


def create_causal_mask(seq_len):
    return np.array([[j <= i for j in range(seq_len)] for i in range(seq_len)])


def apply_mask(scores, mask):
    scores = scores.copy()
    for place in ndindex(scores.shape):
        if not lookup(mask, place):
            scores[place] = -math.inf
    return scores


def ndindex(shape):
    if not shape:
        return [()]
    return [(i, *rest) for i in range(shape[0]) for rest in ndindex(shape[1:])]


def lookup(mask, place):
    place = place[len(place) - mask.ndim :]
    return mask[tuple(0 if size == 1 else i for i, size in zip(place, mask.shape))]


def masked_attention_weights(scores, mask):
    masked = apply_mask(scores, mask)
    result = masked.copy()
    for place in ndindex(masked.shape[:-1]):
        row = masked[place]
        e = [math.exp(v - max(row)) for v in row]
        result[place] = [v / sum(e) for v in e]
    return result


def count_visible(seq_len):
    return [int(sum(row)) for row in create_causal_mask(seq_len)]
