"""What became of a student's grades, version by version: read once, and again after a change."""

import threading
from pathlib import Path
from typing import NamedTuple

from autograder.classroom.grade_difference import Change
from autograder.classroom.versions import CHANGES, ResultsVersion, read_changes, versions


class Past:
    """The history of a folder of results; threads may share it."""

    def __init__(self, results: Path) -> None:
        self._results = results
        self._lock = threading.Lock()
        self._versions: list[ResultsVersion] = []
        self._changes: dict[str, list[PastChange]] = {}

    def of(self, student: str) -> list["PastChange"]:
        """What became of a student's grade, the latest first.

        Raises:
            UserError: the history cannot be read.
        """
        with self._lock:
            found = versions(self._results)
            known = [version for version, _ in found]
            if known != self._versions:
                self._changes = {}
                for version, folder in found:
                    for change in read_changes(folder / CHANGES):
                        mine = self._changes.setdefault(change.student, [])
                        mine.append(PastChange(version, change))
                self._versions = known
            return self._changes.get(student, [])[::-1]


class PastChange(NamedTuple):
    """A change of a student's grade, and the version in which it came into force."""

    version: ResultsVersion
    change: Change
