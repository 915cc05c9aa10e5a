"""Requirements in the text of an exercise: list items that begin with a name in bold type."""

import re
from typing import NamedTuple

from autograder.course.text import one_line

MAX_SENTENCE = 300  # in characters
_ITEM = re.compile(r"^# *[-*] \*\*([^*\n]+)\*\*(.*(?:\n# {3,}(?![-*] )\S.*)*)", re.MULTILINE)


class Requirement(NamedTuple):
    """One requirement: its name in lower case, its line number, and its text."""

    name: str
    line: int
    sentence: str


def requirements_in(text: str) -> list[Requirement]:
    """Return the requirements that a percent-format script states, in their order."""
    found = []
    for item in _ITEM.finditer(text):
        sentence = one_line(item[2].replace("\n#", " ").lstrip(".: "), MAX_SENTENCE)
        line = text.count("\n", 0, item.start()) + 1
        found.append(Requirement(item[1].strip(".: ").casefold(), line, sentence))
    return found
