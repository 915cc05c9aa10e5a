import numpy as np


def alibi_slopes(h):
    n = max(2**e for e in range(10) if 2**e <= h)
    ratio = 0.5 ** (8 / n)
    slopes = np.cumprod(np.full(n, ratio))
    root = np.sqrt(ratio)
    extra = root * np.cumprod(np.full(n, ratio)) / ratio
    return np.hstack((slopes, extra))[:h]


def alibi(h, q_len, k_len):
    """Each further key subtracts the slope once more."""
    offset = k_len - q_len
    result = np.full((h, q_len, k_len), -np.inf)
    for head, slope in enumerate(alibi_slopes(h)):
        for i in range(q_len):
            seen = offset + i + 1
            result[head, i, :seen] = slope * np.cumsum(np.ones(seen)) - slope * seen
    return result
