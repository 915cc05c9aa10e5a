"""What is being done about groups, and what came of it: it takes longer than a page may."""

import threading
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from autograder.errors import UserError
from autograder.naming.again import ToldAnew
from autograder.naming.course_files import InWords
from autograder.naming.loop import LookedAt, NewMistake
from autograder.naming.unnamed import UnnamedGroup, failed_checks, unnamed_groups


class GroupState(msgspec.Struct, frozen=True):
    """How far a group is. `doing` is what is going on now, `trouble` why the last could not be."""

    students: tuple[str, ...] = ()
    doing: str = ""
    trouble: str = ""
    words: InWords = InWords("", "", ("", "", ""))
    looked: LookedAt | None = None
    mistake: NewMistake | None = None
    told: tuple[ToldAnew, ...] = ()
    difference: str = ""
    in_force: bool = False


class GroupJobs:
    """The groups of one desk; one thing at a time is done, since each takes all of a processor."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._one = threading.Lock()
        self._states: dict[tuple[str, str], GroupState] = {}
        self._read_at: object = None
        self._groups: list[UnnamedGroup] = []

    def groups(self, reports: Path) -> list[UnnamedGroup]:
        """The groups of a class, gathered again when its records have changed."""
        with self._lock:
            about = reports.stat()
            state = about.st_ino, about.st_size, about.st_mtime_ns
            if state != self._read_at:
                self._groups = unnamed_groups(failed_checks(reports))
                self._read_at = state
            return self._groups

    def state(self, group: tuple[str, str]) -> GroupState:
        """How far a group is."""
        with self._lock:
            return self._states.get(group, GroupState())

    def change(self, group: tuple[str, str], **values: Any) -> None:
        """Note something of a group."""
        with self._lock:
            before = self._states.get(group, GroupState())
            self._states[group] = msgspec.structs.replace(before, **values)

    def begin(self, group: tuple[str, str], doing: str, work: Callable[[], dict[str, Any]]) -> None:
        """Do something about a group in a thread; `work` gives what is to be noted.

        Raises:
            UserError: something is being done about it already.
        """
        if self.state(group).doing:
            raise UserError("Something is being done about this group. Wait until it ends.")
        self.change(group, doing=doing, trouble="")

        def run() -> None:
            with self._one:
                try:
                    self.change(group, doing="", **work())
                except UserError as error:
                    self.change(group, doing="", trouble=str(error))
                except Exception as error:
                    traceback.print_exc()
                    kind = type(error).__name__
                    said = f"The desk itself failed ({kind}); the terminal says where."
                    self.change(group, doing="", trouble=said)

        threading.Thread(target=run, daemon=True).start()
