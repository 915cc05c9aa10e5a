import numpy as np


def angles(positions, d, base=10000.0):
    if d & 1:
        raise ValueError(f"{d} features cannot be paired")
    return np.multiply.outer(np.array(positions), [1 / base ** (2 * j / d) for j in range(d // 2)])


def rotate(x, angles):
    c, s = np.cos(angles), np.sin(angles)
    matrices = np.stack([np.stack([c, -s], -1), np.stack([s, c], -1)], -2)
    pairs = x.reshape(*x.shape[:-1], -1, 2, 1)
    return (matrices @ pairs).reshape(x.shape)


def rotary_scores(q, k, offset=0):
    d = q.shape[-1]
    a = angles(offset + np.arange(q.shape[-2]), d)
    b = angles(np.arange(k.shape[-2]), d)
    return rotate(q, a) @ np.moveaxis(rotate(k, b), -1, -2) * d**-0.5
