"""Grades what it is given in a thread of its own; what is newer ends what is older."""

import gc
import threading
from collections.abc import Callable, Sequence

import msgspec

from autograder.course.course_file import Course, Exercise
from autograder.course.errors import UserError
from autograder.course.optimisations import is_off
from autograder.grading.judge import Judge
from autograder.report.model import ExerciseReport
from autograder.sandbox.child import Cancelled, Children
from autograder.submission.source import Source

OFTEN = 0.02  # s between two tries to end a grading


class GradedSource(msgspec.Struct, frozen=True):
    """What became of a source: its full report, or why there is none."""

    source: Source
    full: ExerciseReport | None = None
    trouble: str = ""


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
        self._new = threading.Condition()
        self._wanted: Source | None = None
        self._current: Source | None = None
        self._closed = False
        self._thread = threading.Thread(target=self._run, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def look_at(self, source: Source) -> None:
        """Grade this now, and nothing that came before it."""
        with self._new:
            self._wanted = source
            self._new.notify_all()

    def close(self) -> None:
        """End what is being done, and the processes."""
        with self._new:
            self._closed = True
            self._new.notify_all()
        self._thread.join(timeout=15)

    def _run(self) -> None:
        try:
            with self._judge:
                if not is_off("gc"):
                    gc.collect()
                    gc.freeze()  # what is imported stays: collecting it anew would only take time
                threading.Thread(target=self._end_what_is_older, daemon=True).start()
                while (source := self._next()) is not None:
                    done = self._graded(source)
                    with self._new:
                        newer = self._wanted is not None or self._closed
                        self._current = None
                        self._new.notify_all()
                    if done is not None and not newer:
                        self._tell(done)
        except BaseException as error:
            self._tell(error)

    def _next(self) -> Source | None:
        with self._new:
            while self._wanted is None and not self._closed:
                self._new.wait()
            self._current, self._wanted = self._wanted, None
            return None if self._closed else self._current

    def _graded(self, source: Source) -> GradedSource | None:
        try:
            return GradedSource(source, self._judge.grade(source))
        except Cancelled:
            return None
        except UserError as error:
            return GradedSource(source, trouble=str(error))

    def _end_what_is_older(self) -> None:
        """While something newer waits, end what is being graded."""
        while not self._closed:
            with self._new:
                while not self._closed and (self._wanted is None or self._current is None):
                    self._new.wait()
            self._cancel_until_it_ends()

    def _cancel_until_it_ends(self) -> None:
        while self._current is not None and (self._closed or self._wanted is not None):
            self._judge.cancel()
            with self._new:
                self._new.wait(OFTEN)
