"""RecordedAnswers of a released course: looked up in what was recorded."""

import functools
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from autograder.course import Course
from autograder.recorded.packing import (
    FOLDER,
    SUFFIX,
    Recorded,
    RecordedAnswers,
    canary,
    read_packed,
    sums_of,
    unpacked_value,
)
from autograder.recorded.sketch import Sketch, pass_asked
from autograder.untold import OTHER_MACHINE, NotToldHere
from autograder.worker.messages import Passed


def records_file(course: Course, exercise: str) -> Path:
    """Where a released course keeps the recorded answers of an exercise."""
    return course.root / course.content.reference / FOLDER / f"{exercise}{SUFFIX}"


class Playback:
    """What the reference answered, for one exercise."""

    def __init__(self, record: Recorded) -> None:
        self.record = record
        self._functions = {name: _Known(each) for name, each in record.functions.items()}

    def call(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """What the function gave when it was asked the same.

        Raises:
            NotToldHere: it was never asked that.
        """
        return self._value(name, Sketch((args, kwargs)))

    def passed(
        self,
        name: str,
        made_with: tuple[Any, ...],
        inputs: tuple[Any, ...],
        state: Mapping[str, Any],
        toward: tuple[Any, ...] | None,
    ) -> Passed:
        """What a module of the course's gave."""
        found = self._value(name, pass_asked(made_with, inputs, state, toward))
        return Passed(called=True, value=found["value"], gradients=found["gradients"])

    def constant(self, name: str) -> Any:
        """A text or a number, or None."""
        data = self.record.constants.get(name)
        return None if data is None else _hashable(unpacked_value(data))

    def _value(self, name: str, asked: Sketch) -> Any:
        known = self._functions.get(name)
        place = known.place(asked) if known is not None else None
        if place is None:
            raise NotToldHere(self._why())
        return unpacked_value(self.record.values[place])

    def _why(self) -> str:
        """Why an answer is not there: another machine draws other questions, perhaps."""
        if canary().is_close(np.array([self.record.canary]))[0]:
            return str(NotToldHere())
        made = self.record.numpy
        return OTHER_MACHINE.format(made, np.__version__, made)


class _Known:
    """The calls of one function, by kind."""

    def __init__(self, answers: RecordedAnswers) -> None:
        self.values = answers.values
        self.sums = sums_of(answers)
        self.places: dict[bytes, list[int]] = {}
        for place, kind in enumerate(answers.kinds):
            self.places.setdefault(kind, []).append(place)

    def place(self, asked: Sketch) -> int | None:
        """Which value answers a question; None if it was never asked."""
        places = self.places.get(asked.kind, [])
        if not places:
            return None
        close = np.flatnonzero(asked.is_close(self.sums[places]))
        return self.values[places[close[0]]] if len(close) else None


def _hashable(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


@functools.lru_cache(maxsize=32)
def playback_of(path: Path, _changed: float) -> Playback:
    """The answers in a file."""
    return Playback(read_packed(path, Recorded))


def playback(course: Course, exercise: str) -> Playback:
    """The recorded answers of an exercise of a released course.

    Raises:
        UserError: they are not there, or cannot be read.
    """
    path = records_file(course, exercise)
    return playback_of(path, path.stat().st_mtime if path.exists() else 0.0)
