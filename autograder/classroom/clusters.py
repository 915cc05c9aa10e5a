"""Clusters of similar answers in words, so that a person can mark similar answers together.

Similar answers have all or nearly all words in common. The person who marks sees a cluster, and the
words that differ between its answers.
"""

import difflib
import itertools
import math
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from autograder.classroom.marking import Marking
from autograder.classroom.marks import Answered
from autograder.classroom.table_import import as_number
from autograder.course.course_file import Question
from autograder.course.text import digest

NEAR = 0.8  # smallest share of common word pairs in similar answers
MOST_WORDS = 2000  # words of an answer from which pairs are made
MOST_COMPARED = 600  # words of an answer that are compared to show differences
WordPair = tuple[str, str, int]
ID_LETTERS = 8
_POINTS = re.compile(r"\s*([+\-−]?\d+(?:[.,]\d+)?)\s*points?\b")
_AROUND = ".,;:!?\"'`*_()[]{}«»„“”‚‘’…"


class SameText(NamedTuple):
    """Answers with the same normalized words; `places` are their positions in the list of texts."""

    words: tuple[str, ...]
    places: tuple[int, ...]


def normalized_words(text: str) -> tuple[str, ...]:
    """Return an answer's words in lower case, without the punctuation around them."""
    shown = unicodedata.normalize("NFKC", text).casefold()
    words = (word.strip(_AROUND) for word in shown.split())
    return tuple(word for word in words if word)


def similar_groups(texts: Sequence[str]) -> list[list[SameText]]:
    """Put similar answers into groups; each group begins with the wording that most answers have.

    Each answer is in exactly one group, and the largest group comes first. The result depends only
    on the texts and their order.
    """
    places: dict[tuple[str, ...], list[int]] = {}
    for place, text in enumerate(texts):
        places.setdefault(normalized_words(text), []).append(place)
    same = [SameText(words, tuple(positions)) for words, positions in places.items()]
    same.sort(key=lambda each: (-len(each.places), each.places))
    # Two similar texts have a word pair in common that is among the rarest third of each. Only
    # texts with such a pair are compared. `least`: the smallest ratio of two similar texts' sizes.
    least = NEAR / (2 - NEAR)
    pairs = [word_pairs(each.words) for each in same]
    usual = Counter(itertools.chain.from_iterable(pairs))
    rare = []
    having: dict[WordPair, list[int]] = defaultdict(list)
    for number, each in enumerate(pairs):
        third = len(each) - math.ceil(NEAR * (1 + least) / 2 * len(each)) + 1
        rare.append(sorted(each, key=lambda pair: (usual[pair], pair))[:third])
        for pair in rare[number]:
            having[pair].append(number)
    taken: set[int] = set()
    groups = []
    for number, head in enumerate(same):
        if number not in taken:
            others = {o for pair in rare[number] for o in having[pair] if o > number} - taken
            near = sorted(o for o in others if are_near(pairs[number], pairs[o]))
            taken.update(near)
            groups.append([head, *(same[other] for other in near)])
    groups.sort(key=lambda group: (-sum(len(each.places) for each in group), group[0].places))
    return groups


def are_near(one: frozenset[WordPair], other: frozenset[WordPair]) -> bool:
    """Return whether two texts are similar: whether they have most word pairs in common."""
    return 2 * len(one & other) >= NEAR * (len(one) + len(other))


def word_pairs(words: Sequence[str]) -> frozenset[WordPair]:
    """Return the pairs of neighbouring words. A number makes repetitions of a pair different.

    An empty word stands for the start and the end of the text.
    """
    cut = ["", *words[:MOST_WORDS], ""]
    met: Counter[tuple[str, str]] = Counter()
    pairs = set()
    for pair in itertools.pairwise(cut) if words else ():
        pairs.add((*pair, met[pair]))
        met[pair] += 1
    return frozenset(pairs)


def differing_pieces(text: str, other: str) -> list[tuple[str, bool]]:
    """Split a text into pieces. A piece's flag is True if `other` has different words there.

    Where only `other` has words, there is an empty piece. Only the beginning of a long text is
    compared.
    """
    words, other_words = text.split()[:MOST_COMPARED], other.split()[:MOST_COMPARED]
    matcher = difflib.SequenceMatcher(
        None, [_bare(word) for word in other_words], [_bare(word) for word in words], autojunk=False
    )
    pieces = []
    for what, _, _, start, end in matcher.get_opcodes():
        pieces.append((" ".join(words[start:end]), what != "equal"))
    more = text.split()[MOST_COMPARED:]
    return [*pieces, (" ".join(more), False)] if more else pieces


def _bare(word: str) -> str:
    return unicodedata.normalize("NFKC", word).casefold().strip(_AROUND)


class RubricItem(msgspec.Struct, frozen=True):
    """An item of a rubric; `points` is None if the item names no points."""

    id: str
    said: str
    points: float | None


class Wording(msgspec.Struct, frozen=True):
    """Answers with the same words. `id` is the id of the first of these answers."""

    id: str
    members: tuple[Answered, ...]


class AnswerCluster(msgspec.Struct, frozen=True):
    """Group of wordings that are similar to its first wording."""

    wordings: tuple[Wording, ...]

    @property
    def size(self) -> int:
        return sum(len(each.members) for each in self.wordings)


class MarkedSoFar(msgspec.Struct, frozen=True):
    """Progress of marking a question.

    `points` is the mean of the marks. `doubtful` is the number of marks that do not count.
    """

    answers: int
    marked: int
    doubtful: int
    points: float


def rubric(question: Question) -> tuple[RubricItem, ...]:
    """Return the items of a question's rubric. An item such as "2 points: …" names its points."""
    items = []
    for text in question.rubric:
        match = _POINTS.match(text)
        points = as_number(match[1].replace("−", "-")) if match else None
        items.append(RubricItem(digest(text, ID_LETTERS), text, points))
    return tuple(items)


def total(question: Question, ids: Sequence[str]) -> float:
    """Return the sum of the points of some rubric items, limited to the question's maximum."""
    points = sum(item.points or 0 for item in rubric(question) if item.id in ids)
    return round(min(question.points, max(0.0, points)), 2)


class Sheet:
    """The answers to one question, arranged in clusters, with their marks."""

    def __init__(self, marking: Marking, exercise: str, question: str) -> None:
        """Cluster the answers.

        Raises:
            UserError: the question does not exist, or there are no results.
        """
        self.marking = marking
        self.exercise = exercise
        self.question = marking.question(exercise, question)
        self.clusters = marking.cached(f"{exercise}/{question}", self._clusters)
        self.wordings = [wording for cluster in self.clusters for wording in cluster.wordings]
        self._members = [member for wording in self.wordings for member in wording.members]

    def _clusters(self) -> tuple[AnswerCluster, ...]:
        question = self.exercise, self.question.name
        answers = [each for key, each in self.marking.answers().items() if key[1:] == question]
        clusters = []
        for group in similar_groups([each.answer.text for each in answers]):
            members = [tuple(answers[place] for place in same.places) for same in group]
            clusters.append(AnswerCluster(tuple(Wording(m[0].id, m) for m in members)))
        return tuple(clusters)

    def wording(self, named: str) -> Wording | None:
        """Return the wording with this id, or the wording of the answer with this id, or None."""
        for each in self.wordings:
            if named == each.id or any(member.id == named for member in each.members):
                return each
        return None

    def cluster(self, wording: Wording) -> AnswerCluster:
        """Return the cluster that contains a wording."""
        return next(cluster for cluster in self.clusters if wording in cluster.wordings)

    def is_open(self, wording: Wording) -> bool:
        """Return whether at least one answer with this wording has no points yet."""
        marks = self.marking.marks()
        return any(marks.mark(each).points is None for each in wording.members)

    def beside(self, wording: Wording | None, step: int) -> Wording | None:
        """Return the next wording, or the previous one if `step` is −1; None at the ends."""
        at = self.wordings.index(wording) + step if wording in self.wordings else 0
        return self.wordings[at] if 0 <= at < len(self.wordings) else None

    def next_open(self, wording: Wording | None = None) -> Wording | None:
        """Return the next wording with an unmarked answer, or the first; None if all are marked."""
        at = self.wordings.index(wording) + 1 if wording in self.wordings else 0
        return next(filter(self.is_open, [*self.wordings[at:], *self.wordings[:at]]), None)

    def progress(self) -> MarkedSoFar:
        """Return the progress of marking the question."""
        marks, points, doubtful = self.marking.marks(), [], 0
        for each in self._members:
            mark = marks.mark(each)
            points += [] if mark.points is None else [mark.points]
            doubtful += bool(marks.state(each))
        mean = sum(points) / max(1, len(points))
        return MarkedSoFar(len(self._members), len(points), doubtful, mean)

    def comments(self) -> list[str]:
        """Return the comments that people gave for this question, most frequent first."""
        marks = self.marking.marks()
        used: Counter[str] = Counter()
        for each in self._members:
            comment = marks.mark(each).comment
            used.update(line.strip() for line in comment.splitlines() if line.strip())
        return sorted(used, key=lambda comment: (-used[comment], comment))


def sheets(marking: Marking) -> list[Sheet]:
    """Return a sheet for each question of the course that has answers."""
    asked = [(e.name, q.name) for e in marking.course.content.exercises for q in e.questions]
    every_sheet = (Sheet(marking, exercise, question) for exercise, question in asked)
    return [sheet for sheet in every_sheet if sheet.wordings]
