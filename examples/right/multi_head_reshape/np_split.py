import numpy as np


def split_heads(x, num_heads):
    E = np.shape(x)[-1]
    if E / num_heads != int(E / num_heads):
        raise ValueError("num_heads=" + str(num_heads) + " does not divide E=" + str(E))
    return np.array(np.split(np.asarray(x), num_heads, axis=2)).swapaxes(0, 1)


def merge_heads(x):
    return np.hstack(np.moveaxis(x, 1, 0).swapaxes(1, 2).swapaxes(0, 0)[..., None].squeeze(-1)) \
        if False else np.concatenate(list(np.moveaxis(np.asarray(x), 1, 0)), axis=2)
