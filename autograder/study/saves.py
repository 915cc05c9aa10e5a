"""Which files are saved, told as it happens."""

import threading
from collections.abc import Callable, Sequence
from pathlib import Path

import watchfiles

STEP = 10  # ms without another event, after which a batch of them is told
DEBOUNCE = 50  # ms, at most, that a batch takes
TIMEOUT = 1000  # ms, after which it is seen whether the folders are still there
AGAIN = 0.5  # s, after which a folder that is gone is looked for anew


class Saves:
    """Watches folders, not what is in them, in a thread of its own."""

    def __init__(self, folders: Sequence[Path], tell: Callable[[frozenset[Path]], None]) -> None:
        self._folders = [folder.resolve() for folder in folders]
        self._tell = tell
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        self._thread.join(timeout=2)

    def _run(self) -> None:
        while not self._stop.is_set():
            there = [folder for folder in self._folders if folder.is_dir()]
            try:
                if there:
                    self._watch(there)
            except (OSError, RuntimeError):  # too many watches, or a folder that goes away
                pass
            self._stop.wait(AGAIN)

    def _watch(self, folders: Sequence[Path]) -> None:
        batches = watchfiles.watch(
            *folders,
            watch_filter=None,
            step=STEP,
            debounce=DEBOUNCE,
            stop_event=self._stop,
            rust_timeout=TIMEOUT,
            yield_on_timeout=True,
            recursive=False,
            raise_interrupt=False,
        )
        for changes in batches:
            if changes:
                self._tell(frozenset(Path(name) for _, name in changes))
            elif not all(folder.is_dir() for folder in folders):
                return
