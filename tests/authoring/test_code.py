"""What becomes of the text of a check file."""

import pytest

from autograder.authoring.kit_files import Imports, released
from autograder.course.errors import UserError

IMPORTS = Imports(
    "reference",
    frozenset({"tools", "checks.shared"}),
    {"words.LIMIT": 3, "words.count": len, "TABLE": {1: 2}}.get,
)
TEXT = '''
"""Checks."""
import numpy as np
import pytest
from reference import TABLE, tools
from reference.checks.shared import drawn, other
from reference.words import LIMIT, count as right

KEPT, HINTS = 1, ("What?", "That.", "So.")
USED = 2


@pytest.fixture
def asked(submission):
    return submission


@pytest.fixture
def not_asked(submission):
    return submission


def said():
    """Says."""
    return USED


@pytest.mark.check("One", hints=HINTS)
def test_one(asked, reference):
    """RecordingOptions it is done."""
    from reference.words import secret  # a comment
    assert right(LIMIT) == drawn(said()) == tools.x, "It is wrong."


def only_hidden():
    return np.pi


@pytest.mark.hidden
@pytest.mark.check("Two")
def test_two(asked):
    only_hidden()
'''


def test_what_is_left_of_it():
    assert released(TEXT, "t.py", IMPORTS, checks=True) == (
        "from __future__ import annotations\n"
        "from autograder.author import stand_in as _stand_in\n"
        "import pytest\n"
        "from released import tools\n"
        "from released.checks.shared import drawn\n"
        "LIMIT = 3\n"
        "right = _stand_in('words.count')\n"
        "USED = 2\n"
        "\n"
        "@pytest.fixture\n"
        "def asked(submission):\n"
        "    return submission\n"
        "\n"
        "def said():\n"
        "    return USED\n"
        "\n"
        "@pytest.mark.check('One')\n"
        "def test_one(asked, reference):\n"
        "    secret = _stand_in('words.secret')\n"
        "    assert right(LIMIT) == drawn(said()) == tools.x, 'It is wrong.'\n"
    )


def test_in_an_exam_nothing_is_said():
    text = (
        "LABELS = 'query key and so on'\n"
        "@pytest.mark.check('Is it right?', points=2)\n"
        "def test_it():\n"
        "    assert x, 'It is wrong.'\n"
        "    raise Mismatch(f'It is {x} and wrong.', mistake='a-b') from None\n"
        "    return ('a-c', 'It is wrong here.')\n"
    )
    left = released(text, "t.py", IMPORTS, checks=False, silent=True)
    assert "wrong" not in left
    for kept in ("a-b", "a-c", "query key and so on", "Is it right?", "points=2"):
        assert kept in left


@pytest.mark.parametrize("line", ["import reference.words", "from reference.words import *"])
def test_what_cannot_be_replaced_is_refused(line):
    with pytest.raises(UserError, match="t.py, line 1"):
        released(line, "t.py", IMPORTS, checks=True)
