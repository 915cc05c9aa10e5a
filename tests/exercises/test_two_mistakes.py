"""Each of two mistakes in one file has a name."""

import pytest

from tests.conftest import ROOT

SPLIT = ("x.view(batch, length, self.num_heads, features // self.num_heads).transpose(1, 2)",
         "x.view(batch, length, features // self.num_heads, self.num_heads).permute(0, 3, 1, 2)")  # fmt: skip
MERGED = ("x.transpose(1, 2).flatten(2)", "x.permute(0, 2, 3, 1).flatten(2)")
INVERTED = ("mask == 0", "mask != 0")
CASES = [
    ("multi_head_attention", [SPLIT, MERGED, INVERTED], {"interleaved", "mask-inverted"}),
]  # fmt: skip


@pytest.mark.parametrize(("exercise", "changes", "names"), CASES)
def test_each_mistake_has_a_name(grade_text, exercise, changes, names):
    text = (ROOT / f"solutions/{exercise}.py").read_text()
    for right, wrong in changes:
        assert right in text
        text = text.replace(right, wrong)
    found = [check.diagnosis for check in grade_text(exercise, text).checks if check.diagnosis]
    assert {name for diagnosis in found for name in diagnosis.misconceptions} == names
