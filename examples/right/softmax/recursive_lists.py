import math

import numpy as np


def softmax(x, axis=-1):
    values = np.asarray(x, dtype=float)
    axis = axis % values.ndim
    if values.ndim == 1:
        return one_row(values.tolist())
    if axis == 0:
        columns = [softmax(values[:, i], 0) for i in range(values.shape[1])]
        return [[column[i] for column in columns] for i in range(values.shape[0])]
    return [softmax(part, axis - 1) for part in values]


def one_row(row):
    largest = max(row)
    exponentials = [math.exp(value - largest) for value in row]
    total = sum(exponentials)
    return [value / total for value in exponentials]
