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
        ("- line: x\n  reason: y\n", 1, "expected `EXERCISE:`"),
        ("packing:\n  line: x\n", 1, "`packing` has no list"),
        ("\npaking:\n  - line: x\n", 2, "no exercise.*mean `packing`"),
        ("packing:\n  - x + 1\n", 2, "no `line:` and `reason:`"),
        ("packing:\n  - line: x\n    raison: y\n", 3, "`raison`; did you mean `reason`"),
        ("packing:\n  - line: x\n", 2, "no `reason:`"),
        ("packing:\n  - line: [x]\n    reason: y\n", 2, "`line` is not a text"),
        ("packing:\n  - line: x\n    reason: ''\n", 3, "`reason` is not a text"),
        ("packing:\n  - line: a: b\n    reason: y\n", 2, "not valid YAML.*single quotes"),
        ("? [a]\n: []\n", 1, "no exercise"),
    ],
)
def test_what_is_not_of_that_form_is_said_with_its_line(tmp_path, text, line, words):
    with pytest.raises(UserError, match=rf"equivalent\.yml, line {line}: .*{words}"):
        read(tmp_path, text)
