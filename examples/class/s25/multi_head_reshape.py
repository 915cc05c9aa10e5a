import numpy as np


def split_heads(x, num_heads):
    B, L, E = x.shape
    if E % num_heads:
        raise ValueError(f"{E} features, {num_heads} heads")
    return x.reshape(B, L, E // num_heads, num_heads).transpose(0, 3, 1, 2)


def merge_heads(x):
    B, H, L, d = x.shape
    return x.transpose(0, 2, 3, 1).reshape(B, L, H * d)
