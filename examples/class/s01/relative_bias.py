import numpy as np


def alibi_slopes(h):
    padded = 1 << (h - 1).bit_length()
    slopes = 1.0 / 2.0 ** (np.arange(1, padded + 1) * 8.0 / padded)
    if padded != h:
        slopes = np.concatenate([slopes[1::2], slopes[::2]])[:h]
    return slopes


def alibi(h, q_len, k_len):
    keys = np.arange(1 - k_len, 1)
    bias = np.einsum("h,k->hk", alibi_slopes(h), keys)
    bias = np.tile(bias[:, None, :], (1, q_len, 1))
    visible = np.tril(np.ones((k_len, k_len), dtype=bool))[k_len - q_len :]
    return np.where(visible, bias, np.finfo(float).min)
