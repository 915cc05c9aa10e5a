"""Progress of long work: a bar in a terminal; elsewhere, a line from time to time."""

import contextlib
import math
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from types import FrameType
from typing import TypeVar

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, Task, TextColumn
from rich.text import Text

from autograder.course.errors import UserError
from autograder.course.text import several

T = TypeVar("T")
RECENT = 5  # number of submissions from which the remaining time is estimated


class TimeLeft(ProgressColumn):
    """Column of the progress bar that shows the remaining time.

    The slowest submissions come last, one at a time. So the estimate uses the recent time per
    submission, or the time since the last graded submission if that is longer.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._last = clock()
        self._recent: deque[float] = deque(maxlen=RECENT)
        self._done = 0

    def add(self, done: int) -> None:
        """Record the number of graded submissions."""
        now = self._clock()
        for _ in range(min(done - self._done, RECENT)):
            self._recent.append((now - self._last) / (done - self._done))
        self._last, self._done = now, done

    def render(self, task: Task) -> Text:
        """Return “about 3 min left”, or an empty text while too few submissions are graded."""
        left = (task.total or 0) - self._done
        if len(self._recent) < RECENT or left <= 0:
            return Text()
        seconds = left * max(sum(self._recent) / RECENT, self._clock() - self._last)
        if seconds < 90:
            return Text(f"about {max(5, 5 * math.ceil(seconds / 5))} s left")
        return Text(f"about {math.ceil(seconds / 60)} min left")


def graded_with_progress(
    work: Callable[[Callable[[int, int], None]], T],
    kept: str,
    notify: Callable[[int, int], None] | None = None,
    log: Callable[[str], None] | None = None,
    done_to: tuple[str, str] = ("graded", "student"),
) -> T:
    """Run `work` with a function that reports the numbers of finished items and of all items.

    `notify` gets the numbers instead of the terminal. `log` gets a sentence from time to time.
    `kept` is the end of the message after Ctrl-C. `done_to` are the verb and noun of messages.

    Raises:
        UserError: somebody pressed Ctrl-C.
    """
    done, (verb, noun) = 0, done_to
    console = Console(file=sys.stderr)  # now, since the work may replace sys.stderr
    silent = notify is not None or not console.is_terminal
    time_left = TimeLeft()
    columns = TextColumn("{task.description}"), BarColumn(), time_left
    bars = Progress(*columns, console=console, transient=True, disable=silent)
    with _noticing_interrupts() as interrupted, bars as progress:
        bar = progress.add_task("Reading the submissions", total=None)

        def show(count: int, total: int) -> None:
            nonlocal done
            said = f"{verb} {count} of {several(total, noun)}"
            is_tenth = count == total or count % max(1, total // 10) == 0
            if log is not None and is_tenth:
                log(said)
            if count and notify is not None:
                notify(count, total)
            elif silent and count and is_tenth:
                print(said, file=console.file, flush=True)
            time_left.add(count)
            progress.update(bar, description=said, completed=count, total=total)
            if count == total:
                progress.stop()  # a question may follow
            done = count
            if interrupted.is_set() and count < total:
                raise KeyboardInterrupt

        try:
            return work(show)
        except KeyboardInterrupt:
            raise UserError(f"Stopped. {several(done, noun)} {kept}") from None


@contextlib.contextmanager
def _noticing_interrupts() -> Iterator[threading.Event]:
    """Yield an event that Ctrl-C sets, because a callback might suppress the usual exception."""
    pressed = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield pressed
        return

    def note(number: int, frame: FrameType | None) -> None:
        pressed.set()
        signal.default_int_handler(number, frame)

    before = signal.signal(signal.SIGINT, note)
    try:
        yield pressed
    finally:
        signal.signal(signal.SIGINT, before)
