import numpy as np


def alibi_slopes(h):
    if h & (h - 1) == 0:
        first = 2 ** (-8 / h)
        return [first ** (k + 1) for k in range(h)]
    below = 2 ** (h.bit_length() - 1)
    return alibi_slopes(below) + alibi_slopes(2 * below)[0::2][: h - below]


def alibi(h, q_len, k_len):
    slopes = np.asarray(alibi_slopes(h))
    query = np.arange(q_len)[:, None] + k_len - q_len
    key = np.arange(k_len)[None, :]
    bias = -slopes[:, None, None] * (query - key)
    return np.where(key > query, -np.inf, bias)
