"""A judge that grades in a thread of its own; what is newer ends what is older."""

import threading
from collections.abc import Callable, Sequence

import msgspec

from autograder.course.course_file import Course, Exercise
from autograder.course.errors import UserError
from autograder.grading.judge import Judge
from autograder.report.model import ExerciseReport
from autograder.sandbox.child import Cancelled, Children
from autograder.submission.source import Source

OFTEN = 0.02  # s between two tries to end a grading


class GradedSource(msgspec.Struct, frozen=True):
    """A source with its full report, or the problem why there is none."""

    source: Source
    full: ExerciseReport | None = None
    problem: str = ""


class BackgroundJudge:
    """One open judge for all exercises. `tell` hears of each source, unless a newer one came."""

    def __init__(
        self,
        course: Course,
        exercises: Sequence[Exercise],
        children: Children,
        tell: Callable[[GradedSource | BaseException], None],
    ) -> None:
        self._tell = tell
        self._judge = Judge(course, exercises, children)
        self._changed = threading.Condition()  # guards the next three
        self._waiting: Source | None = None
        self._current: Source | None = None
        self._closed = False
        self._thread = threading.Thread(target=self._run, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def look_at(self, source: Source) -> None:
        """Grade this now, and nothing that came before it."""
        with self._changed:
            self._waiting = source
            self._changed.notify_all()

    def close(self) -> None:
        """End what is being done, and the processes."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        self._thread.join(timeout=15)

    def _run(self) -> None:
        try:
            with self._judge:
                threading.Thread(target=self._cancel_older, daemon=True).start()
                while (source := self._next()) is not None:
                    graded = self._grade(source)
                    with self._changed:
                        is_outdated = self._waiting is not None or self._closed
                        self._current = None
                        self._changed.notify_all()
                    if graded is not None and not is_outdated:
                        self._tell(graded)
        except BaseException as error:
            self._tell(error)

    def _next(self) -> Source | None:
        with self._changed:
            self._changed.wait_for(lambda: self._waiting is not None or self._closed)
            self._current, self._waiting = self._waiting, None
            return None if self._closed else self._current

    def _grade(self, source: Source) -> GradedSource | None:
        try:
            return GradedSource(source, self._judge.grade(source))
        except Cancelled:
            return None
        except UserError as error:
            return GradedSource(source, problem=str(error))

    def _cancel_older(self) -> None:
        """While something newer waits, or at the end, cancel what is being graded until it ends."""
        while not self._closed:
            with self._changed:
                self._changed.wait_for(lambda: self._closed or (self._waiting and self._current))
            while self._current is not None and (self._closed or self._waiting is not None):
                self._judge.cancel()
                with self._changed:
                    self._changed.wait(OFTEN)
