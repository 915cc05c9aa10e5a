import numpy as np


def split_heads(x, num_heads):
    width = x.shape[-1]
    if width % num_heads:
        raise ValueError(f"{width} is not divisible by {num_heads}")
    size = width // num_heads
    return np.stack([x[:, :, h * size : (h + 1) * size] for h in range(num_heads)], axis=1)


def merge_heads(x):
    return np.concatenate([x[:, h] for h in range(x.shape[1])], axis=-1)
