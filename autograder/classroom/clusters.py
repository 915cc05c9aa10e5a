"""Clusters of answers in words: those that are alike are marked together.

Answers are alike if they have the same words, or all but a few. Nothing is decided here: a person
sees the cluster, and in each answer what differs.
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

NEAR = 0.8  # the share of pairs of neighbouring words that two answers have in common
MOST_WORDS = 2000  # of an answer, for that
MOST_COMPARED = 600  # words, where differences are shown
WordPair = tuple[str, str, int]
ID_LETTERS = 8
_POINTS = re.compile(r"\s*([+\-−]?\d+(?:[.,]\d+)?)\s*points?\b")
_AROUND = ".,;:!?\"'`*_()[]{}«»„“”‚‘’…"


class SameText(NamedTuple):
    """Places of answers that have the same words, and what these are."""

    words: tuple[str, ...]
    places: tuple[int, ...]


def normalized_words(text: str) -> tuple[str, ...]:
    """Return an answer's words without capitals, and without the punctuation around them."""
    shown = unicodedata.normalize("NFKC", text).casefold()
    words = (word.strip(_AROUND) for word in shown.split())
    return tuple(word for word in words if word)


def similar_groups(texts: Sequence[str]) -> list[list[SameText]]:
    """Group answers: in each group the most common words first, then those much like them.

    Nothing is in two groups, and those with many answers come first. The same texts in the same
    order give the same groups.
    """
    places: dict[tuple[str, ...], list[int]] = {}
    for place, text in enumerate(texts):
        places.setdefault(normalized_words(text), []).append(place)
    same = [SameText(words, tuple(positions)) for words, positions in places.items()]
    same.sort(key=lambda each: (-len(each.places), each.places))
    # Two near texts share one of the rarest third of the pairs of each. So only those that do are
    # compared. `least` is the share of the shorter one's size in the longer one's.
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
    """Tell whether two texts, by their pairs of words, are much like one another."""
    return 2 * len(one & other) >= NEAR * (len(one) + len(other))


def word_pairs(words: Sequence[str]) -> frozenset[WordPair]:
    """Return each two neighbouring words, with both ends; repeated pairs are told apart."""
    cut = ["", *words[:MOST_WORDS], ""]
    met: Counter[tuple[str, str]] = Counter()
    pairs = set()
    for pair in itertools.pairwise(cut) if words else ():
        pairs.add((*pair, met[pair]))
        met[pair] += 1
    return frozenset(pairs)


def differing_pieces(text: str, other: str) -> list[tuple[str, bool]]:
    """Cut a text into pieces, each with whether another text has something else there.

    Where words of the other are missing in it, there is an empty piece. Of a long text only the
    beginning is looked at.
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
    """An item of a rubric; `points` are None if it names none."""

    id: str
    said: str
    points: float | None


class Wording(msgspec.Struct, frozen=True):
    """Answers in the same words; `id` is that of the first of them."""

    id: str
    members: tuple[Answered, ...]


class AnswerCluster(msgspec.Struct, frozen=True):
    """Wordings that are much like the first."""

    wordings: tuple[Wording, ...]

    @property
    def size(self) -> int:
        return sum(len(each.members) for each in self.wordings)


class MarkedSoFar(msgspec.Struct, frozen=True):
    """The progress of a question; `doubtful` are marks that do not count, for a reason."""

    answers: int
    marked: int
    doubtful: int
    points: float


def rubric(question: Question) -> tuple[RubricItem, ...]:
    """Return the items of a question, each with the points that it begins with: "2 points: …"."""
    items = []
    for text in question.rubric:
        match = _POINTS.match(text)
        points = as_number(match[1].replace("−", "-")) if match else None
        items.append(RubricItem(digest(text, ID_LETTERS), text, points))
    return tuple(items)


def total(question: Question, ids: Sequence[str]) -> float:
    """Add up some items: at least 0, and at most what the question is worth."""
    points = sum(item.points or 0 for item in rubric(question) if item.id in ids)
    return round(min(question.points, max(0.0, points)), 2)


class Sheet:
    """One question of a class: its answers in clusters, and their marks."""

    def __init__(self, marking: Marking, exercise: str, question: str) -> None:
        """Cluster the answers.

        Raises:
            UserError: there is no such question, or there are no results.
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
        """Return the wording of that id, or with an answer of that id."""
        for each in self.wordings:
            if named == each.id or any(member.id == named for member in each.members):
                return each
        return None

    def cluster(self, wording: Wording) -> AnswerCluster:
        """Return the cluster that a wording is in."""
        return next(cluster for cluster in self.clusters if wording in cluster.wordings)

    def is_open(self, wording: Wording) -> bool:
        """Tell whether one of the answers in these words waits for points."""
        marks = self.marking.marks()
        return any(marks.mark(each).points is None for each in wording.members)

    def beside(self, wording: Wording | None, step: int) -> Wording | None:
        """Return the next wording, or with −1 the one before; None at the ends."""
        at = self.wordings.index(wording) + step if wording in self.wordings else 0
        return self.wordings[at] if 0 <= at < len(self.wordings) else None

    def next_open(self, wording: Wording | None = None) -> Wording | None:
        """Return the next wording with an answer that waits; after the last comes the first."""
        at = self.wordings.index(wording) + 1 if wording in self.wordings else 0
        return next(filter(self.is_open, [*self.wordings[at:], *self.wordings[:at]]), None)

    def progress(self) -> MarkedSoFar:
        """Return how far the question is marked."""
        marks, points, doubtful = self.marking.marks(), [], 0
        for each in self._members:
            mark = marks.mark(each)
            points += [] if mark.points is None else [mark.points]
            doubtful += bool(marks.state(each))
        mean = sum(points) / max(1, len(points))
        return MarkedSoFar(len(self._members), len(points), doubtful, mean)

    def comments(self) -> list[str]:
        """Return the comments that were given for this question, the most used first."""
        marks = self.marking.marks()
        used: Counter[str] = Counter()
        for each in self._members:
            comment = marks.mark(each).comment
            used.update(line.strip() for line in comment.splitlines() if line.strip())
        return sorted(used, key=lambda comment: (-used[comment], comment))


def sheets(marking: Marking) -> list[Sheet]:
    """Return a sheet for each question of the course that somebody has answered."""
    asked = [(e.name, q.name) for e in marking.course.content.exercises for q in e.questions]
    every_sheet = (Sheet(marking, exercise, question) for exercise, question in asked)
    return [sheet for sheet in every_sheet if sheet.wordings]
