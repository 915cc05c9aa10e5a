"""A slip in equivalent.yml is one sentence with its line."""

import pytest

from autograder.authoring.mutants import EquivalentMutant, equivalent_mutants
from autograder.course.errors import UserError

RIGHT = """
packing:
  - line: 'if runs[-1] == "a":'
    reason: nothing changes
"""


def read(folder, text):
    (folder / "equivalent.yml").write_text(text)
    return equivalent_mutants(folder, ("packing", "shares"))


def test_lines_and_reasons_by_exercise(tmp_path):
    assert equivalent_mutants(tmp_path, ()) == read(tmp_path, "# nothing yet") == {}
    entry = EquivalentMutant('if runs[-1] == "a":', "nothing changes")
    assert read(tmp_path, RIGHT) == {"packing": [entry]}


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("packing:\n  line: x\n", 1, "field `packing`: expected `array`"),
        ("\npaking:\n  - line: x\n", 2, "unknown field `paking`; did you mean `packing`"),
        ("packing:\n  - x + 1\n", 2, "expected `object`"),
        ("packing:\n  - line: x\n    raison: y\n", 3, "`raison`; did you mean `reason`"),
        ("packing:\n  - line: x\n", 2, "missing required field `reason`"),
        ("packing:\n  - line: [x]\n    reason: y\n", 2, "packing.0..line`: expected `str`"),
        ("packing:\n  - line: x\n    reason: ''\n", 3, "packing.0..reason`: expected `str`"),
        ("packing:\n  - line: a: b\n    reason: y\n", 2, "not valid YAML"),
        ("? [a]\n: []\n", 1, "not valid YAML"),
    ],
)
def test_what_is_not_of_that_form_is_said_with_its_line(tmp_path, text, line, words):
    with pytest.raises(UserError, match=rf"equivalent\.yml, line {line}\b.*{words}"):
        read(tmp_path, text)


def test_a_list_without_exercises_is_refused(tmp_path):
    with pytest.raises(UserError, match=r"equivalent\.yml: expected fields such as `packing:`"):
        read(tmp_path, "- line: x\n  reason: y\n")
