# Hostile: values that make careless comparisons pass.
import numpy as np


def split_heads(x, num_heads):
    B, L, E = x.shape
    if E % num_heads:
        raise ValueError(f"{E} {num_heads}")
    return np.full((B, num_heads, L, E // num_heads), np.nan)


def merge_heads(x):
    B, H, L, d = x.shape
    return np.zeros((0, L, H * d))
