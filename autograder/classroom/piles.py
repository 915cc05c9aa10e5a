"""The answers to a question in piles, so that those that are alike are marked together."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

import msgspec

from autograder.classroom.alike import alike
from autograder.classroom.filled_in import as_number
from autograder.classroom.marking import Answered, AnswerMarks, Marking
from autograder.course import Question
from autograder.text import digest

ITEM = 8
_POINTS = re.compile(r"\s*([+\-−]?\d+(?:[.,]\d+)?)\s*points?\b")


class RubricItem(msgspec.Struct, frozen=True):
    """What a rubric gives points for; `points` are None where it names none."""

    id: str
    said: str
    points: float | None


class Wording(msgspec.Struct, frozen=True):
    """Answers in the same words; `id` is that of the first of them."""

    id: str
    members: tuple[Answered, ...]


class Pile(msgspec.Struct, frozen=True):
    """Wordings that are much like the first."""

    wordings: tuple[Wording, ...]

    @property
    def size(self) -> int:
        return sum(len(each.members) for each in self.wordings)


class MarkedSoFar(msgspec.Struct, frozen=True):
    """How far a question is marked; `doubtful` are marks that do not count, for a reason."""

    answers: int
    marked: int
    doubtful: int
    points: float


def rubric(question: Question) -> tuple[RubricItem, ...]:
    """The items of a question, each with the points that it begins with: "2 points: …"."""
    found = []
    for said in question.rubric:
        match = _POINTS.match(said)
        points = as_number(match[1].replace("−", "-")) if match else None
        found.append(RubricItem(digest(said, ITEM), said, points))
    return tuple(found)


def total(question: Question, ids: Sequence[str]) -> float:
    """What some items come to: never less than nothing, nor more than the question is worth."""
    points = sum(item.points or 0 for item in rubric(question) if item.id in ids)
    return round(min(question.points, max(0.0, points)), 2)


class Sheet:
    """One question of a class: its answers in piles, and what there is of their marks."""

    def __init__(self, marking: Marking, exercise: str, question: str) -> None:
        """
        Raises:
            UserError: there is no such question, or there are no results.
        """
        self.marking = marking
        self.exercise = exercise
        self.question = marking.question(exercise, question)
        self.piles = marking.made_of_answers(f"{exercise}/{question}", self._piles)
        self.wordings = [each for pile in self.piles for each in pile.wordings]

    def _piles(self) -> tuple[Pile, ...]:
        mine = [
            each
            for key, each in self.marking.answers().items()
            if key[1:] == (self.exercise, self.question.name)
        ]
        return tuple(
            Pile(
                tuple(
                    Wording(mine[each.places[0]].id, tuple(mine[at] for at in each.places))
                    for each in group
                )
            )
            for group in alike([each.answer.text for each in mine])
        )

    def wording(self, named: str) -> Wording | None:
        """The wording of that id, or in which an answer of that id is."""
        for each in self.wordings:
            if named == each.id or any(member.id == named for member in each.members):
                return each
        return None

    def pile(self, wording: Wording) -> Pile:
        """The pile that a wording is in."""
        return next(pile for pile in self.piles if wording in pile.wordings)

    def standing(self, each: Answered) -> AnswerMarks:
        return self.marking.standing(each)

    def is_open(self, wording: Wording) -> bool:
        """Whether one of the answers in these words waits for points."""
        marks = self.marking.marks()
        return any(
            marks.mark(each.student, each.exercise, each.answer).points is None
            for each in wording.members
        )

    def beside(self, wording: Wording | None, step: int) -> Wording | None:
        """The next wording, or with −1 the one before; None at the ends."""
        at = self.wordings.index(wording) + step if wording in self.wordings else 0
        return self.wordings[at] if 0 <= at < len(self.wordings) else None

    def next_open(self, wording: Wording | None = None) -> Wording | None:
        """The next wording with an answer that waits; after the last comes the first."""
        at = self.wordings.index(wording) + 1 if wording in self.wordings else 0
        return next(filter(self.is_open, [*self.wordings[at:], *self.wordings[:at]]), None)

    def progress(self) -> MarkedSoFar:
        """How far the question is."""
        marks, points, doubtful, count = self.marking.marks(), [], 0, 0
        for each in self._members():
            count += 1
            found = marks.mark(each.student, each.exercise, each.answer).points
            points += [] if found is None else [found]
            doubtful += bool(marks.state(each.student, each.exercise, each.answer))
        return MarkedSoFar(count, len(points), doubtful, sum(points) / max(1, len(points)))

    def comments(self) -> list[str]:
        """The comments that were given for this question, the most used first."""
        marks = self.marking.marks()
        used: Counter[str] = Counter()
        for each in self._members():
            said = marks.mark(each.student, each.exercise, each.answer).comment
            used.update(line.strip() for line in said.splitlines() if line.strip())
        return [said for said, _ in sorted(used.items(), key=lambda each: (-each[1], each[0]))]

    def _members(self) -> Iterator[Answered]:
        return (member for wording in self.wordings for member in wording.members)


def sheets(marking: Marking) -> list[Sheet]:
    """A sheet for each question of the course that somebody has answered."""
    asked = [(e.name, q.name) for e in marking.course.content.exercises for q in e.questions]
    found = (Sheet(marking, exercise, question) for exercise, question in asked)
    return [sheet for sheet in found if sheet.wordings]
