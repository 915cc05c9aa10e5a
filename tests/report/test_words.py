"""Words that depend on a name: is or are."""

import pytest

from autograder.course.text import is_plural


@pytest.mark.parametrize(
    "what",
    [
        "the weights",
        "the weights without it",
        "the weights without the mask (second image)",
        "the weights (softmax of each row)",
        "the scores Q Kᵀ",
        "the scores divided by √d_k",
        "the links of query 2 (sat)",
        "the losses of another model's training",
        "the logits before position 3, where the words were changed,",
    ],
)
def test_many(what):
    assert is_plural(what)


@pytest.mark.parametrize(
    "what",
    ["the mask", "the loss", "the bias", "the axis", "the mean over the trials", "the output",
     "the mask (first image)", "the list of losses", "the output (weights times V)", "`key`"],
)  # fmt: skip
def test_one(what):
    assert not is_plural(what)
