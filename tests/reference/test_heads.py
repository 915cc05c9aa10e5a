"""Splitting and merging heads, against an index-by-index definition."""

import itertools

import numpy as np
import pytest

import reference


def test_each_entry_is_where_the_definition_says():
    B, L, E, H = 2, 3, 20, 4
    x = np.random.default_rng(0).normal(size=(B, L, E))
    heads = reference.split_heads(x, H)
    assert heads.shape == (B, H, L, E // H)
    for b, h, position, i in itertools.product(range(B), range(H), range(L), range(E // H)):
        assert heads[b, h, position, i] == x[b, position, h * (E // H) + i]


def test_merge_is_the_inverse():
    x = np.random.default_rng(1).normal(size=(3, 4, 12))
    for heads in (1, 2, 3, 4, 6, 12):
        np.testing.assert_array_equal(reference.merge_heads(reference.split_heads(x, heads)), x)


def test_heads_that_do_not_fit():
    with pytest.raises(ValueError, match="10 .* 4"):
        reference.split_heads(np.zeros((1, 2, 10)), 4)
