# mistake: later keys get -10,000, which is not low enough
import numpy as np


def alibi_slopes(h):
    def power_of_two(n):
        return [2.0 ** (-8 * (i + 1) / n) for i in range(n)]

    n = 1
    while 2 * n <= h:
        n *= 2
    slopes = power_of_two(n)
    if n < h:
        slopes += power_of_two(2 * n)[::2][: h - n]
    return np.array(slopes)


def alibi(h, q_len, k_len):
    slopes = np.asarray(alibi_slopes(h))
    query = np.arange(q_len)[:, None] + k_len - q_len
    key = np.arange(k_len)[None, :]
    bias = slopes[:, None, None] * (key - query)
    return np.where(key > query, -1e4, bias)
