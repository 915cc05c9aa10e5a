import numpy as np


def joined(old, new):
    """Copy both parts into a new array."""
    if old is None:
        return new
    t, n = old.shape[-2], new.shape[-2]
    both = np.empty((*new.shape[:-2], t + n, new.shape[-1]))
    both[..., :t, :] = old
    both[..., t:, :] = new
    return both


def step(x, cache, W_q, W_k, W_v, W_o):
    old = (None, None) if cache is None else cache
    keys, values = joined(old[0], x @ W_k), joined(old[1], x @ W_v)
    total, n = keys.shape[-2], x.shape[-2]
    outputs = []
    for i in range(n):
        end = total - n + i + 1
        query = x[..., i : i + 1, :] @ W_q
        scores = query @ keys[..., :end, :].swapaxes(-1, -2) / np.sqrt(query.shape[-1])
        w = np.exp(scores - scores.max(-1, keepdims=True))
        w /= w.sum(-1, keepdims=True)
        outputs.append(w @ values[..., :end, :] @ W_o)
    return np.concatenate(outputs, axis=-2), (keys, values)


def generate(prompt, n, next_token, embed, weights, cache=None):
    """Recursion: the first new token, then the rest after it."""
    if n < 1:
        return []
    output, cache = step(embed(list(prompt)), cache, *weights)
    token = next_token(np.asarray(output)[-1])
    return [token] + generate([token], n - 1, next_token, embed, weights, cache)


def cache_bytes(layers, heads, d_head, length, bytes_per_number=2):
    sizes = np.array([layers, heads, d_head, length, bytes_per_number], dtype=np.int64)
    return int(sizes.prod()) << 1
