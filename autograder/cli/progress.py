"""Progress of long work: a bar in a terminal, or elsewhere a line from time to time."""

import contextlib
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from types import FrameType
from typing import TypeVar

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from autograder.course.errors import UserError
from autograder.course.text import several

T = TypeVar("T")


def graded_with_progress(
    work: Callable[[Callable[[int, int], None]], T],
    kept: str,
    notify: Callable[[int, int], None] | None = None,
    log: Callable[[str], None] | None = None,
    done_to: tuple[str, str] = ("graded", "student"),
) -> T:
    """Run `work` with a function that it calls with two numbers: finished items and all items.

    With `notify`, the numbers go to `notify` instead of the terminal. `log` gets a sentence from
    time to time. If somebody presses Ctrl-C, raise a `UserError` whose message ends with `kept`.
    """
    done, (verb, noun) = 0, done_to
    console = Console(file=sys.stderr)  # now, since the work may replace sys.stderr
    silent = notify is not None or not console.is_terminal
    columns = TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn(compact=True)
    bars = Progress(*columns, console=console, transient=True, disable=silent)
    with _noticing_interrupts() as interrupted, bars as progress:
        bar = progress.add_task("Reading the submissions", total=None)

        def show(count: int, total: int) -> None:
            nonlocal done
            message = f"{verb} {count} of {several(total, noun)}"
            is_tenth = count == total or count % max(1, total // 10) == 0
            if log is not None and is_tenth:
                log(message)
            if count and notify is not None:
                notify(count, total)
            elif silent and count and is_tenth:
                print(message, file=console.file, flush=True)
            progress.update(bar, description=message, completed=count, total=total)
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
    """Yield an event that Ctrl-C sets, because a callback may suppress the exception."""
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
