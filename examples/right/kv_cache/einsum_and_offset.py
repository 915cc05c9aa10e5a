import numpy as np


def step(x, cache, W_q, W_k, W_v, W_o):
    Q, K, V = (np.einsum("...nd,de->...ne", x, W) for W in (W_q, W_k, W_v))
    t = 0
    if cache:
        t = np.shape(cache[0])[-2]
        K = np.append(cache[0], K, axis=-2)
        V = np.append(cache[1], V, axis=-2)
    scores = np.einsum("...qd,...kd->...qk", Q, K) / np.sqrt(Q.shape[-1])
    query = t + np.arange(Q.shape[-2])[:, None]
    key = np.arange(K.shape[-2])[None, :]
    scores = scores + np.where(key > query, -1e9, 0)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    w = e / e.sum(axis=-1, keepdims=True)
    return np.einsum("...qk,...kd,de->...qe", w, V, W_o), (K, V)


def generate(prompt, n, next_token, embed, weights):
    out = []
    if n == 0:
        return out
    y, cache = step(embed(prompt), None, *weights)
    out.append(next_token(y[-1]))
    while len(out) < n:
        y, cache = step(embed(out[-1:]), cache, *weights)
        out.append(next_token(y[-1]))
    return out


def cache_bytes(layers, heads, d_head, length, bytes_per_number=2):
    keys = layers * heads * d_head * length * bytes_per_number
    values = keys
    return keys + values
