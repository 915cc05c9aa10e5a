# mistake: raises TypeError for a number that does not fit
import numpy as np


def split_heads(x, num_heads):
    B, L, E = x.shape
    if E % num_heads:
        raise ValueError(f"embedding size {E} must be a multiple of the number of heads {num_heads}")
    return np.einsum("blhd->bhld", x.reshape(B, L, num_heads, -1))


def merge_heads(x):
    B, H, L, d = x.shape
    return np.einsum("bhld->blhd", x).reshape((B, L, H * d))


def split_heads(x, num_heads):
    B, L, E = x.shape
    if E % num_heads:
        raise TypeError(f"{E} features, {num_heads} heads")
    return x.reshape(B, L, num_heads, -1).transpose(0, 2, 1, 3)
