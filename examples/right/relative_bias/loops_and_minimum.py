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
    m = alibi_slopes(h)
    low = np.finfo(float).min
    return np.array(
        [
            [
                [-s * (k_len - q_len + i - j) if j <= k_len - q_len + i else low for j in range(k_len)]
                for i in range(q_len)
            ]
            for s in m
        ]
    )
