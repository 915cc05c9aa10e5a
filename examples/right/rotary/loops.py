import math

import numpy as np


def angles(positions, d, base=10000.0):
    if d % 2:
        raise ValueError(f"d = {d} is odd")
    if np.ndim(positions) > 1:
        return [angles(row, d, base) for row in positions]
    return [[float(p) * base ** (-2 * j / d) for j in range(d // 2)] for p in positions]


def rotate(x, angles):
    angles = np.broadcast_to(angles, x.shape[:-1] + (x.shape[-1] // 2,))
    result = x.copy()
    for place in np.ndindex(*angles.shape):
        *front, j = place
        a = x[(*front, 2 * j)]
        b = x[(*front, 2 * j + 1)]
        phi = angles[place]
        result[(*front, 2 * j)] = a * math.cos(phi) - b * math.sin(phi)
        result[(*front, 2 * j + 1)] = a * math.sin(phi) + b * math.cos(phi)
    return result


def rotary_scores(q, k, offset=0):
    d = q.shape[-1]
    q = rotate(q, angles([offset + i for i in range(q.shape[-2])], d))
    k = rotate(k, angles(list(range(k.shape[-2])), d))
    return np.matmul(q, np.swapaxes(k, -1, -2)) / math.sqrt(d)
