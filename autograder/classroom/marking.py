"""Marking of answers in words. Several people can mark at the same time.

Answers with the same words are marked together.
"""

import itertools
import re
import threading
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import msgspec

from autograder.classroom.grades import read_reports
from autograder.classroom.marks import MARKS, MAX_COMMENT, TWO, Answered, Marks, answers_of
from autograder.classroom.records import REPORTS
from autograder.classroom.store import (
    STORE,
    ExportedMark,
    GivenMark,
    Key,
    Store,
    timestamp,
    write_store,
)
from autograder.classroom.table_import import as_number
from autograder.course.course_file import Course, Question
from autograder.course.errors import UserError
from autograder.course.text import digest, number, one_line, printable

MAX_BY = 60
TOKEN = 12
ID_LETTERS = 8
_POINTS = re.compile(r"\s*([+\-−]?\d+(?:[.,]\d+)?)\s*points?\b")
_AROUND = ".,;:!?\"'`*_()[]{}«»„“”‚‘’…"
T = TypeVar("T")


class AnswerMarks(msgspec.Struct, frozen=True):
    """Marks of one answer."""

    mark: GivenMark  # valid mark
    state: str  # reason why the last mark is not valid
    token: str  # changes if any mark of the answer changes
    before: GivenMark | None = None  # last mark, if it is not valid
    other: GivenMark | None = None  # the table's mark, if the desk has another
    items: tuple[str, ...] = ()
    by: str = ""
    at: str = ""

    @property
    def is_open(self) -> bool:
        return self.mark.points is None


class Overtaken(Exception):
    """Error: in the meantime, another person has marked the answers with these `keys`."""

    def __init__(self, keys: Sequence[Key]) -> None:
        super().__init__()
        self.keys = tuple(keys)


class Marking:
    """Answers in words and their marks in a results folder, read again if the files change."""

    def __init__(self, results: Path, course: Course) -> None:
        self.results = results
        self.course = course
        self._cache: dict[str, tuple[object, Any]] = {}
        self._lock = threading.RLock()

    def cached(self, name: str, files: Sequence[str], make: Callable[[], T]) -> T:
        """Return the result of `make()`. Call `make` again only if a file has changed."""
        with self._lock:
            state = [file_state(self.results / file) for file in files]
            if name not in self._cache or self._cache[name][0] != state:
                self._cache[name] = state, make()
            made: T = self._cache[name][1]
            return made

    def question(self, exercise: str, question: str) -> Question:
        for each in self.course.exercise(exercise).questions:
            if each.name == question:
                return each
        raise UserError(f"{one_line(exercise, 60)} has no question {one_line(question, 60)!r}.")

    def answers(self) -> dict[Key, Answered]:
        """Return all answers that students handed in, in the order of the class."""
        return self.cached("answers", [REPORTS], self._read_answers)

    def _read_answers(self) -> dict[Key, Answered]:
        answers = [answers_of(report) for report in read_reports(self.results)]
        return {answer.key: answer for answer in itertools.chain.from_iterable(answers)}

    def marks(self) -> Marks:
        return self.cached("marks", [MARKS, STORE], self._read_marks)

    def _read_marks(self, store: Store | None = None) -> Marks:
        return Marks(self.results, self.course, self.course.exercises.values(), store)

    def standing(self, answer: Answered, among: Marks | None = None) -> AnswerMarks:
        """Return the marks of an answer from `among`. By default, use the current marks."""
        marks = self.marks() if among is None else among
        entries, cell = marks.stored.by_answer.get(answer.key, []), marks.cells.get(answer.key)
        mark, state = marks.mark(answer), marks.state(answer)
        before = other = None
        if state:
            other = cell if state == TWO else None
            before = entries[-1].mark if entries else cell
        rest = [(given.points, given.comment) if given else None for given in (mark, other)]
        known = answer.id, state, before.shown if before else None, *rest
        desk = [e for e in entries if e.origin == "desk" and e.mark.shown == mark.shown]
        newest = desk[-1] if desk else None
        return AnswerMarks(
            mark,
            state,
            digest(repr(known), TOKEN),
            before=before,
            other=other,
            items=newest.mark.items if newest else (),
            by=newest.by if newest else "",
            at=newest.at if newest else "",
        )

    def enter(self, by: str, given: Sequence[GivenMark], tokens: Sequence[str]) -> None:
        """Store one person's marks for some answers: all marks, or none.

        `tokens` identify the marks that the person saw. After the call, the new marks are saved on
        the disk. If another person has marked an answer meanwhile, raise `Overtaken`.
        """
        clean = [self._checked(mark) for mark in given]
        answers = self.answers()
        with write_store(self.results) as store:
            marks = self._read_marks(store)
            late = []
            for mark, token in zip(clean, tokens, strict=True):
                answer = answers[mark.key]
                now = self.standing(answer, marks)
                agrees = not now.state and now.mark.shown == mark.shown  # the same mark
                if answer.id != mark.answer or not (agrees or now.token == token):
                    late.append(mark.key)
            if late:
                raise Overtaken(late)
            typed = [cell for mark in clean if (cell := marks.changed_cell(mark.key)) is not None]
            store.add_marks(typed, MARKS, timestamp(), "table")
            last = store.add_marks(clean, one_line(by, MAX_BY), timestamp(), "desk")
            store.set_exported_marks(ExportedMark(cell, last) for cell in typed)
        with self._lock:
            self._cache.pop("marks", None)  # the file's time may not show two quick changes

    def _checked(self, mark: GivenMark) -> GivenMark:
        if mark.key not in self.answers():
            who, where = one_line(mark.student, 60), one_line(mark.question, 60)
            raise UserError(f"{who} no longer has an answer to {where}. Reload the page.")
        most = self.question(mark.exercise, mark.question).points
        if mark.points is not None and not 0 <= mark.points <= most:
            raise UserError(
                f"Expected points from 0 to {number(most)}, found {number(mark.points)}."
            )
        comment = printable(mark.comment.replace("\r\n", "\n").strip(), MAX_COMMENT)
        points = None if mark.points is None else round(mark.points, 2)
        return msgspec.structs.replace(mark, comment=comment, points=points)


def file_state(path: Path) -> tuple[int, int, int]:
    """Return numbers that change if the file changes."""
    try:
        about = path.lstat()
    except OSError:
        return 0, 0, 0
    return about.st_ino, about.st_size, about.st_mtime_ns


def same_words(texts: Sequence[str]) -> list[list[int]]:
    """Return the indices of texts with the same words. The most frequent words come first.

    Upper case, and punctuation around a word, make no difference.
    """
    places: dict[tuple[str, ...], list[int]] = {}
    for place, text in enumerate(texts):
        shown = unicodedata.normalize("NFKC", text).casefold()
        words = tuple(filter(None, (word.strip(_AROUND) for word in shown.split())))
        places.setdefault(words, []).append(place)
    return sorted(places.values(), key=lambda same: (-len(same), same[0]))


class RubricItem(msgspec.Struct, frozen=True):
    id: str
    said: str
    points: float | None  # None if the item names no points


class Wording(msgspec.Struct, frozen=True):
    """Answers with the same words."""

    members: tuple[Answered, ...]

    @property
    def id(self) -> str:
        return self.members[0].id


class MarkedSoFar(NamedTuple):
    """Numbers of answers, marks and invalid marks."""

    answers: int
    marked: int
    doubtful: int
    points: float  # mean of the marks


def rubric(question: Question) -> tuple[RubricItem, ...]:
    """Return the items of a question's rubric. An item such as "2 points: …" states its points."""
    items = []
    for text in question.rubric:
        match = _POINTS.match(text)
        points = as_number(match[1].replace("−", "-")) if match else None
        items.append(RubricItem(digest(text, ID_LETTERS), text, points))
    return tuple(items)


def total(question: Question, ids: Sequence[str]) -> float:
    """Return the sum of some rubric items' points, but at most the question's maximum."""
    points = sum(item.points or 0 for item in rubric(question) if item.id in ids)
    return round(min(question.points, max(0.0, points)), 2)


class Sheet:
    """Answers to one question, arranged by their words, with their marks."""

    def __init__(self, marking: Marking, exercise: str, question: str) -> None:
        self.marking = marking
        self.exercise = exercise
        self.question = marking.question(exercise, question)
        self.wordings = marking.cached(f"{exercise}/{question}", [REPORTS], self._wordings)
        self._members = [member for wording in self.wordings for member in wording.members]

    def _wordings(self) -> list[Wording]:
        question = self.exercise, self.question.name
        answers = [each for key, each in self.marking.answers().items() if key[1:] == question]
        groups = same_words([each.answer.text for each in answers])
        return [Wording(tuple(answers[place] for place in places)) for places in groups]

    def wording(self, named: str) -> Wording | None:
        """Return the wording that has this id, or that contains the answer with this id."""
        for each in self.wordings:
            if named == each.id or any(member.id == named for member in each.members):
                return each
        return None

    def beside(self, wording: Wording | None, step: int) -> Wording | None:
        """Return the next wording, or the previous one if `step` is −1. At an end, return None."""
        at = self.wordings.index(wording) + step if wording in self.wordings else 0
        return self.wordings[at] if 0 <= at < len(self.wordings) else None

    def next_open(self, wording: Wording | None = None) -> Wording | None:
        """Return the next wording with an unmarked answer. After the last wording, begin again."""
        at = self.wordings.index(wording) + 1 if wording in self.wordings else 0
        marks = self.marking.marks()
        for following in [*self.wordings[at:], *self.wordings[:at]]:
            if any(marks.mark(each).points is None for each in following.members):
                return following
        return None

    def progress(self) -> MarkedSoFar:
        marks, points, doubtful = self.marking.marks(), [], 0
        for each in self._members:
            mark = marks.mark(each)
            points += [] if mark.points is None else [mark.points]
            doubtful += bool(marks.state(each))
        mean = sum(points) / max(1, len(points))
        return MarkedSoFar(len(self._members), len(points), doubtful, mean)

    def comments(self) -> list[str]:
        """Return people's comments on this question, most frequent first."""
        marks = self.marking.marks()
        used: Counter[str] = Counter()
        for each in self._members:
            comment = marks.mark(each).comment
            used.update(line.strip() for line in comment.splitlines() if line.strip())
        return sorted(used, key=lambda comment: (-used[comment], comment))


def sheets(marking: Marking) -> list[Sheet]:
    asked = [(e.name, q.name) for e in marking.course.content.exercises for q in e.questions]
    every_sheet = (Sheet(marking, exercise, question) for exercise, question in asked)
    return [sheet for sheet in every_sheet if sheet.wordings]
