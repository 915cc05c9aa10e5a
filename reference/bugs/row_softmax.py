"""`row_softmax(x)`: a softmax of each row, stable. The fault is that of S1: no axis."""

from typing import Any

import numpy as np


def right_stable(x: Any) -> Any:
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def right_by_logarithms(x: Any) -> Any:
    top = np.max(x, axis=-1, keepdims=True)
    return np.exp(x - top - np.log(np.sum(np.exp(x - top), axis=-1, keepdims=True)))


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
    """the softmax runs along axis 1, which is the last only of a matrix"""
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def wrong_not_stable(x: Any) -> Any:
    """nothing is subtracted before exp, so that large entries give NaN"""
    e = np.exp(x)
    return e / e.sum(axis=-1, keepdims=True)


def wrong_not_normalised(x: Any) -> Any:
    """the exponentials are not divided by their sum"""
    return np.exp(x - x.max(axis=-1, keepdims=True))


def wrong_sum_without_exp(x: Any) -> Any:
    """each entry is divided by the sum of its row, without an exponential"""
    return x / x.sum(axis=-1, keepdims=True)


def wrong_equal(x: Any) -> Any:
    """every entry of a row gets the same weight"""
    return np.ones_like(x) / x.shape[-1]


def wrong_base_2(x: Any) -> Any:
    """the powers are those of 2, not of e"""
    e = 2.0 ** (x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def wrong_minimum(x: Any) -> Any:
    """the sign is turned round: the smallest entry gets the largest weight"""
    e = np.exp(x.min(axis=-1, keepdims=True) - x)
    return e / e.sum(axis=-1, keepdims=True)
