import math

import numpy as np


def attend(query, keys, values):
    scores = [float(np.dot(query, key)) / math.sqrt(len(query)) for key in keys]
    parts = [math.exp(score - max(scores)) for score in scores]
    return sum(part / sum(parts) * value for part, value in zip(parts, values))


def step(x, cache, W_q, W_k, W_v, W_o):
    """One token after another, each with all keys up to its own."""
    if np.ndim(x) > 2:
        caches = [None] * len(x) if cache is None else list(zip(*cache))
        done = [step(one, own, W_q, W_k, W_v, W_o) for one, own in zip(x, caches)]
        keys = np.array([each[1][0] for each in done])
        values = np.array([each[1][1] for each in done])
        return np.array([each[0] for each in done]), [keys, values]
    keys = [] if cache is None else [key for key in cache[0]]
    values = [] if cache is None else [value for value in cache[1]]
    rows = []
    for token in x:
        keys = keys + [token @ W_k]
        values = values + [token @ W_v]
        rows.append(attend(token @ W_q, keys, values) @ W_o)
    return np.array(rows), [np.array(keys), np.array(values)]


def generate(prompt, n, next_token, embed, weights):
    """Read the text token by token, the prompt included."""
    text, cache, row = list(prompt), None, None
    for place in range(len(prompt) + n - 1):
        output, cache = step(embed([text[place]]), cache, *weights)
        row = output[0]
        if place >= len(prompt) - 1:
            text.append(int(next_token(row)))
    return text[len(prompt) :]


def cache_bytes(layers, heads, d_head, length, bytes_per_number=2):
    return math.prod([2, layers, heads, d_head, length, bytes_per_number])
