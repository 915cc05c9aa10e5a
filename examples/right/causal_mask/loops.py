import math


def create_causal_mask(seq_len):
    return [[1 if j <= i else 0 for j in range(seq_len)] for i in range(seq_len)]


def entry(values, place):
    for i in place:
        values = values[i if len(values) > 1 else 0]
    return values


def walk(scores, mask, place=()):
    depth = len(place)
    if not hasattr(scores, "__len__"):
        here = place
        levels, inner = 0, mask
        while hasattr(inner, "__len__"):
            levels, inner = levels + 1, inner[0]
        return float(scores) if entry(mask, here[depth - levels:]) else -math.inf
    return [walk(part, mask, (*place, i)) for i, part in enumerate(scores)]


def apply_mask(scores, mask):
    return walk(scores, mask)


def normalise(rows):
    if hasattr(rows[0], "__len__"):
        return [normalise(row) for row in rows]
    top = max(rows)
    e = [math.exp(x - top) for x in rows]
    return [x / sum(e) for x in e]


def masked_attention_weights(scores, mask):
    return normalise(apply_mask(scores, mask))


def count_visible(seq_len):
    return [sum(row) for row in create_causal_mask(seq_len)]
