"""`row_softmax(x)`: a stable softmax of each row. The shown fault is that of S1: no axis."""

from typing import Any

import numpy as np


def right_stable(x: Any) -> Any:
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def right_by_logarithms(x: Any) -> Any:
    top = np.max(x, axis=-1, keepdims=True)
    return np.exp(x - top - np.log(np.sum(np.exp(x - top), axis=-1, keepdims=True)))


def right_row_by_row(x: Any) -> Any:
    result = np.zeros(x.shape)
    for place in np.ndindex(*x.shape[:-1]):
        row = [float(value) for value in x[place]]
        powers = [float(np.exp(value - max(row))) for value in row]
        result[place] = [power / sum(powers) for power in powers]
    return result


def right_by_sums_of_logarithms(x: Any) -> Any:
    return np.exp(x - np.logaddexp.reduce(x, axis=-1, keepdims=True))


def wrong_shown(x: Any) -> Any:
    """the softmax runs over all entries together, not over each row"""
    e = np.exp(x - np.max(x))
    return e / np.sum(e)


def wrong_over_columns(x: Any) -> Any:
    """the softmax runs over the columns, not over the rows"""
    e = np.exp(x - x.max(axis=-2, keepdims=True))
    return e / e.sum(axis=-2, keepdims=True)


def wrong_first_axis(x: Any) -> Any:
    """the softmax runs along axis 0, whatever the number of axes"""
    e = np.exp(x - x.max(axis=0, keepdims=True))
    return e / e.sum(axis=0, keepdims=True)


def wrong_second_axis(x: Any) -> Any:
    """the softmax uses axis 1 of an array with two or more axes, not the last axis"""
    axis = min(1, x.ndim - 1)
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def wrong_vector_to_matrix(x: Any) -> Any:
    """an array with one axis comes back with two"""
    x = np.atleast_2d(x)
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def wrong_first_row(x: Any) -> Any:
    """every row gets the weights of the first row"""
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    return weights if x.ndim == 1 else np.broadcast_to(weights[..., :1, :], x.shape)


def wrong_first_of_batch(x: Any) -> Any:
    """with three or more axes, all matrices are copies of the first one"""
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    return weights if x.ndim < 3 else np.broadcast_to(weights[:1], x.shape)


def wrong_not_stable(x: Any) -> Any:
    """nothing is subtracted before exp, so that large entries give NaN"""
    e = np.exp(x)
    return e / e.sum(axis=-1, keepdims=True)


def wrong_maximum_of_all(x: Any) -> Any:
    """the maximum of all rows is subtracted: a row far below another one gives NaN"""
    e = np.exp(x - x.max())
    return e / e.sum(axis=-1, keepdims=True)


def wrong_cut_off(x: Any) -> Any:
    """large entries are clipped, so that 1000 and 999 get the same weight"""
    e = np.exp(np.clip(x, -500, 500))
    return e / e.sum(axis=-1, keepdims=True)


def wrong_not_normalised(x: Any) -> Any:
    """the exponentials are not divided by their sum"""
    return np.exp(x - x.max(axis=-1, keepdims=True))


def wrong_sum_without_exp(x: Any) -> Any:
    """each entry is divided by the sum of its row, without an exponential"""
    return x / x.sum(axis=-1, keepdims=True)


def wrong_base_2(x: Any) -> Any:
    """powers of 2 are used, not of e"""
    e = 2.0 ** (x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def wrong_minimum(x: Any) -> Any:
    """the sign is reversed: the smallest entry gets the largest weight"""
    e = np.exp(x.min(axis=-1, keepdims=True) - x)
    return e / e.sum(axis=-1, keepdims=True)


def wrong_sorted(x: Any) -> Any:
    """the weights of a row are in ascending order, not in the order of the entries"""
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return np.sort(e / e.sum(axis=-1, keepdims=True), axis=-1)


def wrong_rounded(x: Any) -> Any:
    """the weights are rounded to two decimals"""
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return np.round(e / e.sum(axis=-1, keepdims=True), 2)


def wrong_whole_numbers(x: Any) -> Any:
    """for integers the result has integers too, so that nearly all weights are 0"""
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    result = np.zeros_like(x)
    result[...] = e / e.sum(axis=-1, keepdims=True)
    return result
