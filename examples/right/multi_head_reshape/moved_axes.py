import numpy as np


class HeadError(ValueError):
    pass


def split_heads(x, num_heads):
    *front, features = x.shape
    size, rest = divmod(features, num_heads)
    if rest:
        raise ValueError(f"{num_heads} heads do not fit {features} features")
    return np.moveaxis(x.reshape(*front, num_heads, size), -2, -3)


def merge_heads(x):
    moved = np.moveaxis(x, -3, -2)
    return moved.reshape(*moved.shape[:-2], -1)
