import numpy as np


def split_heads(x, num_heads):
    B, L, E = x.shape
    if E % num_heads != 0:
        raise ValueError("cannot split %d features into %d heads" % (E, num_heads))
    d = E // num_heads
    out = np.empty((B, num_heads, L, d), dtype=x.dtype)
    for b in range(B):
        for h in range(num_heads):
            for p in range(L):
                for f in range(d):
                    out[b, h, p, f] = x[b, p, h * d + f]
    return out


def merge_heads(x):
    B, H, L, d = x.shape
    return [[[x[b, h, p, f] for h in range(H) for f in range(d)] for p in range(L)] for b in range(B)]
