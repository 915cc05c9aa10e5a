"""Where two texts differ, in words: the line, the word, the character."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from autograder.report.literal import as_text
from autograder.text import capital, ordinal, several

SHORT = 60
_WORD = re.compile(r"\S+")


@dataclass(frozen=True)
class Difference:
    """The first place at which two values differ, and the end of a sentence about it.

    `places` lead there from the outside: "the 3rd item", "the field kind".
    """

    says: str
    places: tuple[str, ...] = ()

    def within(self, place: str) -> "Difference":
        """The same difference, of a value that stands at a place of another."""
        return replace(self, places=(place, *self.places))

    def about(self, what: str) -> str:
        """The sentence: `The result: the field kind of the 3rd item is …`."""
        if not self.places:
            return f"{capital(what)} {self.says}."
        return f"{capital(what)}: {' of '.join(reversed(self.places))} {self.says}."


def text_difference(yours: str, right: str) -> Difference | None:
    """What differs first; None where nothing does."""
    if yours == right:
        return None
    if not yours:
        return Difference(f"is empty; expected {quoted(right)}")
    if yours.strip() == right.strip():
        return Difference(_at_the_ends(yours, right))
    if "\n" in right:
        return _in_lines(yours.split("\n"), right.split("\n"))
    return Difference(_in_line(yours, right))


def quoted(text: str) -> str:
    """A text with quotation marks, in short."""
    return as_text(text, SHORT)


def _at_the_ends(yours: str, right: str) -> str:
    """Blanks and ends of lines in front, or at the end."""
    mine, theirs = (text[: len(text) - len(text.lstrip())] for text in (yours, right))
    if mine != theirs:
        return f"begins with {_blank(mine)}; expected {_blank(theirs)} there"
    mine, theirs = (text[len(text.rstrip()) :] for text in (yours, right))
    return f"ends with {_blank(mine)}; expected {_blank(theirs)} there"


def _blank(text: str) -> str:
    return quoted(text) if text else "no white space"


def _in_lines(yours: Sequence[str], right: Sequence[str]) -> Difference:
    for number, (one, other) in enumerate(zip(yours, right, strict=False), 1):
        found = text_difference(one, other)
        if found is not None:
            return found.within(f"line {number}")
    said = f"has {several(len(yours), 'line')}; expected {len(right)}"
    longer, what = (right, "lacks") if len(yours) < len(right) else (yours, "has too many")
    first = min(len(yours), len(right))
    return Difference(f"{said}. The first that it {what} is {quoted(longer[first])}")


def _in_line(yours: str, right: str) -> str:
    both = f"is {quoted(yours)}; expected {quoted(right)}"
    if yours.casefold() == right.casefold():
        return f"{both}{_detail(yours, right)}: only small and capital letters differ"
    mine, theirs = _WORD.findall(yours), _WORD.findall(right)
    if mine == theirs:
        return f"has other white space between its words: {_character(yours, right)}"
    if len(theirs) > 1:
        return _in_words(mine, theirs)
    return f"{both}{_detail(yours, right)}"


def _in_words(mine: Sequence[str], theirs: Sequence[str]) -> str:
    for number, (one, other) in enumerate(zip(mine, theirs, strict=False), 1):
        if one != other:
            which = f"differs in the {ordinal(number)} word"
            return f"{which}: yours {quoted(one)}, expected {quoted(other)}{_detail(one, other)}"
    if len(mine) < len(theirs):
        after = f"ends after the {ordinal(len(mine))} word" if mine else "has no word"
        return f"{after}; expected {quoted(theirs[len(mine)])} next"
    return f"goes on after the {ordinal(len(theirs))} word, with {quoted(mine[len(theirs)])}"


def _detail(yours: str, right: str) -> str:
    """Which character it is, where the texts are too long to see it."""
    if max(len(yours), len(right)) <= SHORT // 2:
        return ""
    return f" ({_character(yours, right)})"


def _character(yours: str, right: str) -> str:
    shorter = min(len(yours), len(right))
    place = next((n for n in range(shorter) if yours[n] != right[n]), shorter)
    mine, theirs = (
        quoted(text[place]) if place < len(text) else "missing" for text in (yours, right)
    )
    return f"the {ordinal(place + 1)} character is {mine}; expected {theirs}".replace(
        "expected missing", "expected none"
    )
