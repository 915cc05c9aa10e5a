import numpy as np


def alibi_slopes(h):
    power = int(2 ** np.floor(np.log2(h)))
    first = np.power(0.5, 8 / power * np.arange(1, power + 1))
    second = np.power(0.5, 4 / power * np.arange(1, 2 * (h - power), 2))
    return np.append(first, second).astype(np.float32)


def alibi(h, q_len, k_len):
    position = np.arange(k_len)
    distance = np.abs(position[:, np.newaxis] - position)
    square = -alibi_slopes(h).reshape(h, 1, 1) * distance.astype(np.float32)
    square[:, np.triu_indices(k_len, 1)[0], np.triu_indices(k_len, 1)[1]] = -1e9
    return square[:, -q_len:]
