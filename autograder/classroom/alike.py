"""Answers that say the same, put together: word for word, or all but a few words.

Nothing is decided here. A person sees the group, and in each answer what differs.
"""

import difflib
import itertools
import math
import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

NEAR = 0.8  # the share of pairs of neighbouring words that two answers have in common
MOST_WORDS = 2000  # of an answer, for that
MOST_COMPARED = 600  # words, where differences are shown
WordPair = tuple[str, str, int]
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
    """Each group is what is near its first; nothing is in two.

    Two that have so much in common share one of the rarest third of the pairs of each. So only
    those that do are compared.
    """
    pairs = [_pairs(each.words) for each in same]
    usual = Counter(itertools.chain.from_iterable(pairs))
    rare = [sorted(each, key=lambda pair: (usual[pair], pair))[: _third(each)] for each in pairs]
    having: dict[WordPair, list[int]] = {}
    for number, each in enumerate(rare):
        for pair in each:
            having.setdefault(pair, []).append(number)
    taken: set[int] = set()
    groups = []
    for number, head in enumerate(same):
        if number in taken:
            continue
        others = {o for pair in rare[number] for o in having[pair] if o > number} - taken
        near = sorted(o for o in others if _are_near(pairs[number], pairs[o]))
        taken.update(near)
        groups.append([head, *(same[other] for other in near)])
    return groups


def _third(pairs: frozenset[WordPair]) -> int:
    """How many of a text's pairs are looked at, so that each text that is near has one of them."""
    least = NEAR / (2 - NEAR)  # the share of the shorter one's size in the longer one's
    return len(pairs) - math.ceil(NEAR * (1 + least) / 2 * len(pairs)) + 1


def _are_near(one: frozenset[WordPair], other: frozenset[WordPair]) -> bool:
    return 2 * len(one & other) >= NEAR * (len(one) + len(other))


def _pairs(words: Sequence[str]) -> frozenset[WordPair]:
    """Each two neighbouring words, with both ends; where they come again, that is another pair."""
    cut = ["", *words[:MOST_WORDS], ""]
    met: Counter[tuple[str, str]] = Counter()
    found = set()
    for pair in itertools.pairwise(cut) if words else ():
        found.add((*pair, met[pair]))
        met[pair] += 1
    return frozenset(found)


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
