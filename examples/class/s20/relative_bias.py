import numpy as np


def alibi_slopes(h):
    start = 2 ** (-8 / h)
    return np.array([start**i for i in range(1, h + 1)])


def alibi(h, q_len, k_len):
    slopes = np.asarray(alibi_slopes(h))
    query = np.arange(q_len)[:, None] + k_len - q_len
    key = np.arange(k_len)[None, :]
    bias = -slopes[:, None, None] * (query - key)
    return np.where(key > query, -np.inf, bias)
