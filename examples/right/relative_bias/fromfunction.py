import numpy as np


def geometric(n):
    return [2 ** (-8 * k / n) for k in range(1, n + 1)]


def alibi_slopes(h):
    n = 2 ** (len(bin(h)) - 3)
    return np.array((geometric(n) + geometric(2 * n)[::2])[:h])


def alibi(h, q_len, k_len):
    slopes = alibi_slopes(h)

    def bias(head, query, key):
        behind = key - query - (k_len - q_len)
        return np.where(behind > 0, -1e30, slopes[head] * behind)

    return np.fromfunction(bias, (h, q_len, k_len), dtype=int)
