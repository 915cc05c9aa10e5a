import math

import numpy as np


def alibi_slopes(h):
    def of_power(n):
        start = 2 ** (-(2 ** -(math.log2(n) - 3)))
        return [start * start**i for i in range(n)]

    if math.log2(h).is_integer():
        return of_power(h)
    closest = 2 ** math.floor(math.log2(h))
    return of_power(closest) + alibi_slopes(2 * closest)[0::2][: h - closest]


def alibi(h, q_len, k_len):
    """The bias grows with the key: a constant in each row changes no softmax."""
    slopes = np.array(alibi_slopes(h))
    bias = slopes[:, None, None] * np.arange(k_len)[None, None, :]
    later = np.triu(np.ones((q_len, k_len)), k=k_len - q_len + 1)
    return bias + np.where(later == 1, -np.inf, 0.0)
