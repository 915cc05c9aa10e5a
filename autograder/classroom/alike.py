"""Answers that say the same, put together: word for word, or all but a few words.

Nothing is decided here. A person sees the group, and in each answer what differs.
"""

import difflib
import itertools
import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

NEAR = 0.8  # the share of pairs of neighbouring words that two answers have in common
MOST_WORDS = 2000  # of an answer, for that
MOST_COMPARED = 600  # words, where differences are shown
_WORD = re.compile(r"\S+")
_AROUND = ".,;:!?\"'`*_()[]{}«»„“”‚‘’…"


class SameWords(NamedTuple):
    """Places of answers that have the same words, and what these are."""

    words: tuple[str, ...]
    places: tuple[int, ...]


def plain_words(text: str) -> tuple[str, ...]:
    """An answer's words without capitals, and without the punctuation around them."""
    shown = unicodedata.normalize("NFKC", text).casefold()
    words = (word.strip(_AROUND) for word in _WORD.findall(shown))
    return tuple(word for word in words if word)


def alike(texts: Sequence[str]) -> list[list[SameWords]]:
    """Groups of answers: in each, first those that most are like, then those much like them.

    Groups with many answers come first; the same texts in the same order give the same groups.
    """
    places: dict[tuple[str, ...], list[int]] = {}
    for place, text in enumerate(texts):
        places.setdefault(plain_words(text), []).append(place)
    same = [SameWords(words, tuple(found)) for words, found in places.items()]
    same.sort(key=lambda each: (-len(each.places), each.places))
    groups = _near(same)
    groups.sort(key=lambda group: (-sum(len(each.places) for each in group), group[0].places))
    return groups


def _near(same: Sequence[SameWords]) -> list[list[SameWords]]:
    """Each group is what is near its first; nothing is in two."""
    pairs = [_pairs(each.words) for each in same]
    sizes = [sum(each.values()) for each in pairs]
    having: dict[tuple[str, str], list[tuple[int, int]]] = {}
    for number, each in enumerate(pairs):
        for pair, count in each.items():
            having.setdefault(pair, []).append((number, count))
    taken: set[int] = set()
    groups = []
    for number, head in enumerate(same):
        if number in taken:
            continue
        common: Counter[int] = Counter()
        for pair, count in pairs[number].items():
            for other, its in having[pair]:
                if other > number and other not in taken:
                    common[other] += min(count, its)
        near = [o for o, c in common.items() if 2 * c >= NEAR * (sizes[number] + sizes[o])]
        taken.update(near)
        groups.append([head, *(same[other] for other in sorted(near))])
    return groups


def _pairs(words: Sequence[str]) -> Counter[tuple[str, str]]:
    """Each two neighbouring words, with the beginning and the end."""
    cut = ["", *words[:MOST_WORDS], ""]
    return Counter(itertools.pairwise(cut)) if words else Counter()


def differing(text: str, other: str) -> list[tuple[str, bool]]:
    """A text in pieces, each with whether another text has something else there.

    Where words of the other are missing in it, there is an empty piece. Of a long text only the
    beginning is looked at.
    """
    mine, its = text.split()[:MOST_COMPARED], other.split()[:MOST_COMPARED]
    matcher = difflib.SequenceMatcher(
        None, [_bare(word) for word in its], [_bare(word) for word in mine], autojunk=False
    )
    pieces = []
    for what, _, _, start, end in matcher.get_opcodes():
        pieces.append((" ".join(mine[start:end]), what != "equal"))
    more = text.split()[MOST_COMPARED:]
    return [*pieces, (" ".join(more), False)] if more else pieces


def _bare(word: str) -> str:
    return unicodedata.normalize("NFKC", word).casefold().strip(_AROUND)
