# mistake: the distance is squared; a query does not see itself
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
    bias = np.full((h, q_len, k_len), -np.inf)
    for n, m in enumerate(alibi_slopes(h)):
        for i in range(q_len):
            p = k_len - q_len + i
            for j in range(max(p, 1)):
                bias[n, i, j] = -m * (p - j) ** 2
    return bias
