"""The reference against torch's own functions, and against exact arithmetic."""

import math
from fractions import Fraction

import numpy as np
import pytest
import torch
import torch.nn.functional as F

import reference

SIZES = [((), 3, 5, 2, 4), ((2,), 4, 3, 5, 1), ((2, 3), 1, 6, 4, 2)]


def draw(seed, batch, l_q, l_k, d_k, d_v):
    rng = np.random.default_rng(seed)
    sizes = ((l_q, d_k), (l_k, d_k), (l_k, d_v))
    return [rng.normal(size=(*batch, *size)) for size in sizes]


@pytest.mark.parametrize("sizes", SIZES)
def test_attention_is_torchs(sizes):
    Q, K, V = draw(1, *sizes)
    output, weights = reference.attention(Q, K, V)
    expected = F.scaled_dot_product_attention(*map(torch.from_numpy, (Q, K, V)))
    np.testing.assert_allclose(output, expected.numpy(), rtol=0, atol=1e-12)
    np.testing.assert_allclose(weights.sum(-1), 1, atol=1e-12)


@pytest.mark.parametrize("sizes", SIZES)
def test_the_mask_means_what_torchs_means(sizes):
    Q, K, V = draw(2, *sizes)
    mask = np.random.default_rng(3).random((Q.shape[-2], K.shape[-2])) < 0.5
    mask[:, 0] = True
    output, weights = reference.attention(Q, K, V, mask)
    tensors = map(torch.from_numpy, (Q, K, V))
    expected = F.scaled_dot_product_attention(*tensors, attn_mask=torch.from_numpy(mask))
    np.testing.assert_allclose(output, expected.numpy(), rtol=0, atol=1e-12)
    assert (weights[..., ~mask] == 0).all()


@pytest.mark.parametrize("axis", [0, 1, 2, -1])
def test_softmax_is_torchs(axis):
    x = np.random.default_rng(4).normal(scale=50, size=(3, 4, 5))
    expected = F.softmax(torch.from_numpy(x), dim=axis).numpy()
    np.testing.assert_allclose(reference.softmax(x, axis), expected, rtol=1e-12, atol=1e-300)


def test_softmax_of_large_numbers_and_infinities():
    np.testing.assert_array_equal(reference.softmax([1e4, -1e4]), [1, 0])
    np.testing.assert_array_equal(reference.softmax([0, -np.inf, 0]), [0.5, 0, 0.5])


def test_the_causal_mask_is_torchs_is_causal():
    Q, K, V = draw(5, (), 6, 6, 3, 2)
    tensors = map(torch.from_numpy, (Q, K, V))
    expected = F.scaled_dot_product_attention(*tensors, is_causal=True).numpy()
    output, _ = reference.attention(Q, K, V, reference.causal_mask(6))
    np.testing.assert_allclose(output, expected, atol=1e-12)
    assert reference.count_visible(4) == [1, 2, 3, 4]


def exact(rows):
    return [[Fraction(str(x)) for x in row] for row in rows]


@pytest.mark.parametrize("letter", "abc")
def test_hand_computations_by_exact_arithmetic(letter):
    """Scores as fractions; weights and output by plain sums of exponentials of them."""
    part = reference.hand_problem().parts[letter]
    Q, K, V = exact(part.Q), exact(part.K), exact(part.V)
    scores = [[sum(a * b for a, b in zip(q, k, strict=True)) for k in K] for q in Q]
    np.testing.assert_allclose(part.exact("scores"), np.array(scores, float), atol=1e-15)
    root = math.sqrt(part.d_k)
    weights = []
    for row in scores:
        terms = [math.exp(float(s) / root) for s in row]
        weights.append([t / math.fsum(terms) for t in terms])
    np.testing.assert_allclose(part.exact("weights"), weights, atol=1e-14)
    output = [
        [math.fsum(w * float(v[c]) for w, v in zip(row, V, strict=True)) for c in range(len(V[0]))]
        for row in weights
    ]
    np.testing.assert_allclose(part.exact("output"), output, atol=1e-14)


def test_what_s3_prints_is_wrong_and_the_reference_is_not():
    """The errors of the source document, shown by computing them."""
    from reference.by_hand import PRINTED_IN_S3

    scores = reference.hand_problem().parts["c"].exact("scores")
    assert scores[1, 2] == pytest.approx(0.3 * 0.6 + 0.9 * 0.2 + 0.1 * 0.7 + 0.4 * 0.3)
    assert scores[1, 2] == pytest.approx(0.55)
    for name, entries in PRINTED_IN_S3.items():
        letter, step = name.split("_", 1)
        right = (
            np.array(reference.hand_problem().masked_row)
            if step == "masked_row"
            else reference.hand_problem().parts[letter].exact(step)
        )
        assert max(abs(right[place] - printed) for place, printed in entries.items()) > 0.002
    np.testing.assert_allclose(
        reference.hand_problem().parts["c"].exact("weights")[1:],
        [[0.363, 0.360, 0.277], [0.368, 0.282, 0.350]],
        atol=6e-4,
    )
    np.testing.assert_allclose(
        reference.hand_problem().masked_row, [0.316, 0.426, 0.258, 0], atol=6e-4
    )
