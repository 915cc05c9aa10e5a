"""docs/errata.md: each error in the sources, shown by a computation."""

import numpy as np
import pytest

from reference.attention import combine, scale, scores, softmax
from reference.bugs import SHOWN, implementations
from reference.by_hand import PRINTED_IN_S3, STANDARD
from tests.conftest import ROOT

X = np.array(STANDARD.parts["c"].Q)
SCORES = scores(X, X)
WEIGHTS = softmax(scale(SCORES, 4))
EXACT = {
    "c_scores": SCORES,
    "c_scaled": scale(SCORES, 4),
    "c_weights": WEIGHTS,
    "c_output": combine(WEIGHTS, X),
    "c_masked_row": np.array(STANDARD.masked_row),
}


@pytest.mark.parametrize("name", PRINTED_IN_S3)
def test_what_s3_prints_is_not_what_its_matrices_give(name):
    printed = PRINTED_IN_S3[name]
    assert any(abs(EXACT[name][place] - value) > 0.02 for place, value in printed.items())


def test_the_page_has_the_right_numbers():
    page = (ROOT / "docs" / "errata.md").read_text()
    for row in (WEIGHTS[1], WEIGHTS[2], combine(WEIGHTS, X)[1], combine(WEIGHTS, X)[2]):
        assert ", ".join(f"{value:.3f}" for value in row) in page
    assert ", ".join(f"{value:.3f}" for value in STANDARD.masked_row[:3]) in page
    row = softmax(np.array([2, 0.5, 0.5, 0.5]))
    assert ", ".join(f"{value:.3f}" for value in row) in page


def test_the_score_that_s3_gets_wrong():
    assert SCORES[1, 2] == pytest.approx(0.3 * 0.6 + 0.9 * 0.2 + 0.1 * 0.7 + 0.4 * 0.3)
    assert SCORES[1, 2] == pytest.approx(0.55)


def test_the_printed_weights_do_not_follow_from_the_printed_scores():
    row = softmax(np.array([0.545, 0.535, 0.325]))
    assert np.round(row, 3).tolist() == [0.358, 0.355, 0.287]
    printed = [PRINTED_IN_S3["c_weights"][1, j] for j in range(3)]
    assert np.abs(row - printed).max() > 0.02


def test_a_softmax_without_an_axis_has_no_row_that_sums_to_1():
    weights = np.exp(SCORES) / np.exp(SCORES).sum()
    assert weights.sum() == pytest.approx(1.0)
    assert (weights.sum(axis=-1) < 0.99).all()


@pytest.mark.parametrize("batch", [(), (2, 3)])
def test_a_transpose_of_three_axes_fits_one_batch_axis_alone(batch):
    K = np.zeros((*batch, 4, 5))
    with pytest.raises(ValueError, match="axes don't match"):
        K.transpose(0, 2, 1)
    assert np.zeros((2, 4, 5)).transpose(0, 2, 1).shape == (2, 5, 4)


def test_a_mask_with_a_head_axis_at_position_1_fits_only_where_it_should_not():
    mask = np.tril(np.ones((4, 4)))[:, np.newaxis]
    with pytest.raises(ValueError, match="broadcast"):
        np.broadcast_to(mask, (2, 3, 4, 4))
    stretched = np.broadcast_to(mask, (2, 4, 4, 4))
    assert not (stretched[0, 0] == np.tril(np.ones((4, 4)))).all()


def shown(name):
    """The faulty function as the exercise shows it, and a right one."""
    known = implementations(name)
    right = next(each.function for each in known if not each.wrong)
    return next(each.function for each in known if each.id == SHOWN), right


def test_heads_that_are_never_split_are_one_head_that_is_scaled_too_little():
    rng = np.random.default_rng(0)
    x, matrices = rng.normal(size=(2, 5, 64)), rng.normal(size=(4, 64, 64)) / 8
    faulty, right = shown("multi_head_forward")
    weights = faulty(x, *matrices, 16)[1]
    assert weights.shape == (2, 5, 5)
    assert right(x, *matrices, 16)[1].shape == (2, 16, 5, 5)
    scores = (x @ matrices[0]) @ np.swapaxes(x @ matrices[1], -1, -2)
    assert (scores / np.sqrt(4)).std() == pytest.approx(4 * (scores / np.sqrt(64)).std())
    np.testing.assert_allclose(weights, softmax(scores / np.sqrt(4)))


def test_weights_after_dropout_are_no_distribution():
    rng = np.random.default_rng(0)
    Q, K, V = (rng.normal(size=(100, 8)) for _ in range(3))
    faulty, right = shown("attention_with_dropout")
    after = faulty(Q, K, V, 0.5, np.random.default_rng(1))[1].sum(axis=-1)
    assert (np.abs(after - 1) > 1e-6).all()
    assert after.mean() == pytest.approx(1, abs=0.05)
    before = right(Q, K, V, 0.5, np.random.default_rng(1))[1]
    np.testing.assert_allclose(before.sum(axis=-1), 1)
