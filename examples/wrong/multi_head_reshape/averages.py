# mistake: averages the heads
import numpy as np


def split_heads(x, num_heads):
    B, L, E = x.shape
    if E % num_heads:
        raise ValueError(f"embedding size {E} must be a multiple of the number of heads {num_heads}")
    return np.einsum("blhd->bhld", x.reshape(B, L, num_heads, -1))


def merge_heads(x):
    B, H, L, d = x.shape
    return np.einsum("bhld->blhd", x).reshape((B, L, H * d))


def merge_heads(x):
    heads = np.split(x, x.shape[1], axis=1)
    return sum(head[:, 0] for head in heads) / len(heads)
