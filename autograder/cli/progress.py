"""The progress of long work: a bar in a terminal, a line now and then elsewhere."""

import contextlib
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from types import FrameType
from typing import TypeVar

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TextColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from autograder.course.errors import UserError
from autograder.course.text import several

T = TypeVar("T")


class Rate(ProgressColumn):
    """The column of submissions a second."""

    def render(self, task: Task) -> Text:
        return Text(f"{task.speed:.1f}/s" if task.speed else "")


def graded_with_progress(
    work: Callable[[Callable[[int, int], None]], T],
    kept: str,
    notify: Callable[[int, int], None] | None = None,
) -> T:
    """Do work that says how many of how many submissions are graded; `notify` hears it, if given.

    Raises:
        UserError: somebody pressed Ctrl-C; it says how many are graded and, by `kept`, what of it.
    """
    done = 0
    console = Console(file=sys.stderr)  # this very one, whatever the work does to sys.stderr
    silent = notify is not None or not console.is_terminal
    columns = (TextColumn("grading"), BarColumn(), MofNCompleteColumn(), Rate())
    bars = Progress(
        *columns, TimeRemainingColumn(), console=console, transient=True, disable=silent
    )
    with _noticing_interrupts() as interrupted, bars as progress:
        bar = progress.add_task("grading", total=None)

        def show(count: int, total: int) -> None:
            nonlocal done
            tenth = max(1, total // 10)
            if notify is not None:
                notify(count, total)
            elif silent and (count == total or count % tenth == 0):
                print(f"graded {count} of {total}", file=console.file, flush=True)
            progress.update(bar, completed=count, total=total)
            if count == total:
                progress.stop()  # a question may come
            done = count
            if interrupted.is_set() and count < total:
                raise KeyboardInterrupt

        try:
            return work(show)
        except KeyboardInterrupt:
            raise UserError(f"Stopped. {several(done, 'submission')} {kept}") from None


@contextlib.contextmanager
def _noticing_interrupts() -> Iterator[threading.Event]:
    """Yield whether Ctrl-C was pressed: its exception is lost where a callback runs."""
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
