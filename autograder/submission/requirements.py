"""Requirements that a task's text states: list items that begin with a name in bold type."""

import re
from typing import NamedTuple

from autograder.course.text import one_line

MAX_SENTENCE = 300  # characters
_ITEM = re.compile(r"^# *[-*] \*\*([^*\n]+)\*\*(.*(?:\n# {3,}(?![-*] )\S.*)*)", re.MULTILINE)


class Requirement(NamedTuple):
    """One requirement: its name in small letters, its line in the text, and what it asks for."""

    name: str
    line: int
    sentence: str


def requirements_in(text: str) -> list[Requirement]:
    """Return the requirements that a script in percent format states, in their order."""
    found = []
    for item in _ITEM.finditer(text):
        sentence = one_line(item[2].replace("\n#", " ").lstrip(".: "), MAX_SENTENCE)
        line = text.count("\n", 0, item.start()) + 1
        found.append(Requirement(item[1].strip(".: ").casefold(), line, sentence))
    return found
