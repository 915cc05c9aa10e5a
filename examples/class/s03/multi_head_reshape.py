import numpy as np


def split_heads(x, num_heads):
    E = x.shape[2]
    if E % num_heads != 0:
        raise ValueError(f"{num_heads} heads do not divide {E} features")
    return np.stack(np.split(x, num_heads, axis=2), axis=1)


def merge_heads(x):
    return np.concatenate([x[:, h] for h in range(x.shape[1])], axis=-1)
