import numpy as np


def step(x, cache, W_q, W_k, W_v, W_o):
    x, W_q, W_k, W_v, W_o = (np.asarray(a, dtype=np.float32) for a in (x, W_q, W_k, W_v, W_o))
    new = [x @ W_k, x @ W_v]
    if cache is not None:
        new = [np.concatenate([np.float32(a), b], axis=-2) for a, b in zip(cache, new)]
    keys, values = new
    scores = x @ W_q @ keys.swapaxes(-2, -1) / np.float32(np.sqrt(keys.shape[-1]))
    blocked = np.triu(np.ones(scores.shape[-2:], bool), k=1 + scores.shape[-1] - scores.shape[-2])
    scores[..., blocked] = -np.inf
    scores -= scores.max(axis=-1, keepdims=True)
    weights = np.exp(scores)
    weights /= weights.sum(axis=-1, keepdims=True)
    return [weights @ values @ W_o, [keys, values]]


def generate(prompt, n, next_token, embed, weights):
    cache, waiting, result = None, [*prompt], np.zeros(n, dtype=int)
    for i in range(n):
        output, cache = step(embed(waiting), cache, *weights)
        result[i] = next_token(output[len(waiting) - 1])
        waiting = [int(result[i])]
    return result.tolist()


def cache_bytes(layers, heads, d_head, length, bytes_per_number=2):
    total = 0
    for _ in range(2):
        total += layers * heads * d_head * length * bytes_per_number
    return total
