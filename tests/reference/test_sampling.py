"""Chains of words in which a stretch comes twice."""

import numpy as np
import pytest

from reference.attention import softmax
from reference.sampling import is_random

WORDS = 1600


def chain(rng, chances):
    words = [0]
    for _ in range(WORDS - 1):
        words.append(int(rng.choice(len(chances), p=chances[words[-1]])))
    return np.array(words)


@pytest.mark.parametrize("scale", [0.5, 2.0])  # all words likely; some rare
def test_a_long_stretch_that_comes_again_is_not_drawn(scale):
    rng = np.random.default_rng(3)
    chances = softmax(scale * rng.normal(size=(5, 5)))
    words = chain(rng, chances)
    assert is_random(words, chances)
    for length, is_drawn in ((4, True), (200, False)):
        again = words.copy()
        again[1000 : 1000 + length] = words[300 : 300 + length]
        assert is_random(again, chances) == is_drawn
    assert not is_random(np.tile(words[: WORDS // 2], 2), chances)
