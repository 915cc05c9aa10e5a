import numpy as np


def split_heads(x, num_heads):
    E = x.shape[2]
    if E % num_heads != 0:
        raise ValueError(f"E={E}, num_heads={num_heads}")
    columns = np.arange(E).reshape(num_heads, E // num_heads)
    return x[:, :, columns].transpose(0, 2, 1, 3)


def merge_heads(x):
    B, H, L, d = x.shape
    result = np.zeros((B, L, H * d))
    for h in range(H):
        result[:, :, h * d : h * d + d] = x[:, h, :, :]
    return result
