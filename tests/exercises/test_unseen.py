"""Wrong answers that once kept full marks, or most of them: each loses marks and is told why."""

import pytest

from tests.conftest import ROOT

pytestmark = pytest.mark.one_in(80)

FOLDER = ROOT / "tests" / "exercises" / "unseen"
# the points that are left, and the names of what is found
TABLE = {
    "hand_computation": {
        "one_slip_carried_on": (12, set()),
        "scores_all_one_half": (1, {"follows-from-trivial-row"}),
        "scores_nearly_all_zero": (4, {"follows-from-trivial-row"}),
        "scores_so_large_that_weights_are_0_and_1": (4, {"follows-from-trivial-row"}),
        "weights_of_0_and_1": (7, {"all-or-nothing", "follows-from-trivial-row"}),
    },
    "softmax": {"five_axes_flattened": (10, set())},
    "scaled_dot_product_attention": {
        "mask_heads_for_batch": (15, {"mask-heads-meet-batch"}),
        "mask_rows_for_padding": (15, {"mask-rows-meet-batch"}),
    },
    "causal_mask": {
        "mask_heads_for_batch": (13, {"mask-heads-meet-batch"}),
        "mask_rows_for_padding": (13, {"mask-rows-meet-batch"}),
    },
    "attention_patterns": {
        "links_of_weight_0_left_out": (11, set()),
        "sorted_by_two_digits": (10, set()),
    },
    "multi_head_reshape": {
        "square_not_swapped": (11, {"reshape-only"}),
        "squeezed": (11, set()),
    },
    "self_attention": {
        "another_default_rate": (19, {"dropout-default"}),
        "d_v_from_d_k": (20, {"parameter-shape"}),
        "dropout_by_default": (20, {"dropout-not-asked-for"}),
        "mask_adds_an_axis": (20, set()),
        "mask_for_batches_only": (20, {"mask-ignored"}),
        "mask_heads_for_batch": (20, {"mask-heads-meet-batch"}),
        "mask_rows_for_padding": (20, {"mask-rows-meet-batch"}),
        "one_matrix_two_names": (21, {"parameters-shared"}),
        "scale_of_first_call": (20, {"remembers"}),
    },
    "multi_head_attention": {
        "dropout_by_default": (15, {"dropout-not-asked-for"}),
        "mask_rows_for_padding": (16, {"mask-rows-meet-batch"}),
        "turned_scores_and_dropout": (
            9,
            {"queries-and-keys-swapped", "dropout-not-asked-for"},
        ),
    },
    "language_model": {
        "batch_of_one_squeezed": (18, set()),
        "dropout_in_the_block_alone": (21, {"dropout-not-asked-for"}),
        "extra_final_norm": (16, {"norm_2-layer-normalised"}),
        "mask_rows_for_padding": (20, {"mask-rows-meet-batch"}),
        "one_norm_two_names": (21, {"parameters-shared"}),
        "padding_idx": (19, {"embedding-row-never-learns"}),
        "padding_masked": (18, set()),
    },
    "train_and_generate": {
        "adamax_with_falling_rate": (15, {"adamax", "rate-scheduled"}),
        "decay_after_twenty": (21, {"rate-scheduled"}),
        "evaluates_while_training": (21, {"trains-in-evaluation"}),
        "samples_at_zero": (16, {"remembers", "sampled-at-zero"}),
        "seeds_by_the_generator": (23, {"generator-starts-again"}),
        "top_forty": (21, {"unlikely-never-sampled"}),
        "warm_up_of_a_tenth": (21, {"rate-scheduled"}),
        "weights_frozen_by_generate": (22, {"model-frozen"}),
    },
}
TABLES_ALONE = {"softmax", "multi_head_reshape"}  # hidden are sizes that no table can know
CASES = [(exercise, slug) for exercise, rows in TABLE.items() for slug in rows]


def test_every_file_has_its_line():
    assert {(p.parent.name, p.stem) for p in FOLDER.glob("*/*.py")} == set(CASES)


@pytest.mark.parametrize(("exercise", "slug"), CASES)
def test_an_unseen_wrong_answer_loses_marks_and_is_told_why(grade_file, exercise, slug):
    points, names = TABLE[exercise][slug]
    report = grade_file(FOLDER / exercise / f"{slug}.py", exercise)
    found = [(check.title, check.finding) for check in report.checks if check.finding]
    assert report.points == points, found
    named = {
        name
        for check in report.checks
        if check.diagnosis is not None
        for name in check.diagnosis.misconceptions
    }
    assert named == names, found
    seen = [check for check in report.checks if not check.hidden and check.outcome != "passed"]
    assert seen or exercise in TABLES_ALONE, "only a hidden check judges it: all ticks in a kit"


BORROWS = """
import numpy as np
from softmax import softmax

def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(K.shape[-1])
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    weights = softmax(scores)
    return weights @ V, weights
"""


@pytest.mark.thorough
def test_a_wrong_softmax_costs_here_what_a_mask_and_large_scores_are_worth(grade_file, tmp_path):
    """The text says so: what follows from the student's own softmax counts."""
    (tmp_path / "softmax.py").write_text("def softmax(x, axis=-1):\n    return x\n")
    path = tmp_path / "scaled_dot_product_attention.py"
    path.write_text(BORROWS)
    report = grade_file(path, path.stem)
    lost = [check.name for check in report.checks if check.outcome != "passed"]
    assert lost == ["test_mask", "test_mask_kinds", "test_large_scores_and_unchanged_arguments"]
    assert report.points == 12
