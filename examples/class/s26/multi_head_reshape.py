import numpy as np


def split_heads(x, num_heads):
    B, L, E = x.shape
    if E % num_heads:
        raise ValueError(f"d_model={E} is not divisible by num_heads={num_heads}")
    return np.swapaxes(x.reshape(B, L, num_heads, -1), 1, 2)


def merge_heads(x):
    B, H, L, d = x.shape
    return np.swapaxes(x, 1, 2).reshape(B, L, H * d)
