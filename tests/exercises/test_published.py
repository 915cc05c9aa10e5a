"""Modules as published teaching code writes them: one mistake costs once, and is named."""

import pytest

from tests.conftest import ROOT

pytestmark = pytest.mark.one_in(96)

FOLDER = ROOT / "tests" / "exercises" / "published"
# least and most points, and the names of what is found
ATTENTION = {
    "both_output_only": (20, 20, {"output-only"}),
    "keeps_its_first_draw": (19, 19, {"dropout-always-the-same"}),
    "mask_drawn_once": (19, 19, {"dropout-always-the-same"}),
    "output_only": (21, 21, {"output-only"}),
    "query_key_value_with_biases": (21, 21, {"parameter-missing"}),
    "remembers_in_the_class": (17, 20, {"remembers"}),
    "root_512": (21, 21, {"another-factor"}),
    "root_of_d_model": (18, 20, {"root-of-d-model"}),
    "three_axes_only": (20, 20, set()),
    "two_axes_only": (20, 20, set()),
}
HEADS = {
    "a_module_for_each_head": (16, 16, {"parameter-missing"}),
    "assert_biases_names_output_only": (15, 15, {"parameter-missing", "assert-in-its-place"}),
    "assert_divides": (17, 17, {"assert-in-its-place"}),
    "biases": (16, 16, {"projection-bias"}),
    "combined_by_head": (16, 16, {"parameter-missing"}),
    "combined_c_attn": (16, 16, {"parameter-missing"}),
    "combined_kv": (16, 16, {"parameter-missing"}),
    "combined_qkv": (16, 16, {"parameter-missing"}),
    "lazy_linears": (18, 18, set()),
    "mask_of_two_axes": (16, 16, {"mask-batch-meets-heads"}),
    "numbered_in_another_order": (16, 16, {"parameter-missing"}),
    "numbered_linears": (16, 16, {"parameter-missing"}),
    "output_only": (16, 16, {"output-only"}),
    "own_error": (18, 18, set()),
    "q_proj_names": (16, 16, {"parameter-missing"}),
    "q_proj_names_and_biases": (16, 16, {"parameter-missing"}),
    "raw_parameters": (18, 18, set()),
    "remembers_its_mask": (15, 15, {"remembers"}),
    "results_swapped": (16, 16, {"results-swapped"}),
    "root_512": (16, 16, {"another-factor"}),
    "root_of_d_model": (14, 14, {"root-of-d-model"}),
    "to_q_names": (16, 16, {"parameter-missing"}),
    "two_names": (18, 18, set()),
    "wraps_the_library": (15, 15, {"parameter-missing", "assert-in-its-place"}),
}
MODEL = {
    "asserts_the_length": (21, 21, {"assert-in-its-place"}),
    "biases": (21, 21, {"projection-bias"}),
    "block_gives_weights_too": (21, 21, {"number-of-results"}),
    "combined_qkv": (21, 21, {"parameter-missing"}),
    "gelu": (14, 16, {"gelu"}),
    "keeps_its_mask": (22, 22, set()),
    "network_of_its_own": (22, 22, set()),
    "no_network_biases": (21, 21, {"parameter-missing"}),
    "ordered_dict_network": (22, 22, set()),
    "other_names": (20, 20, {"parameter-missing"}),
    "pre_norm": (14, 16, {"pre-norm"}),
    "tied_weights": (21, 21, {"parameters-shared"}),
}
TABLE = {"self_attention": ATTENTION, "multi_head_attention": HEADS, "language_model": MODEL}
CASES = [(exercise, slug) for exercise, rows in TABLE.items() for slug in rows]


def test_every_file_has_its_line():
    assert {(p.parent.name, p.stem) for p in FOLDER.glob("*/*.py")} == set(CASES)


@pytest.mark.parametrize(("exercise", "slug"), CASES)
def test_a_published_module_loses_what_its_mistake_costs(grade_file, exercise, slug):
    least, most, names = TABLE[exercise][slug]
    report = grade_file(FOLDER / exercise / f"{slug}.py", exercise)
    found = [(check.title, check.finding) for check in report.checks if check.finding]
    assert least <= report.points <= most, found
    named = {
        name
        for check in report.checks
        if check.diagnosis is not None
        for name in check.diagnosis.misconceptions
    }
    assert named == names, found
