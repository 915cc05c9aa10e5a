"""What students handed in, read again from where it was graded: the code beside its report."""

import contextlib
import threading
import weakref
from collections import OrderedDict
from pathlib import Path

from autograder.classroom.folders import Folder
from autograder.classroom.intake import Work, read_work
from autograder.classroom.pseudonyms import FILE as PSEUDONYMS
from autograder.classroom.pseudonyms import Pseudonyms
from autograder.classroom.records import FILE as REPORTS
from autograder.classroom.remembered import GradeCommand, remembered
from autograder.classroom.submissions import guarded, opened
from autograder.course import Course
from autograder.errors import UserError
from autograder.submission.source import Source
from autograder.submission.stubs import read_stubs

KEPT = 20  # students whose files are held, so that next and previous are quick


class Works:
    """The submissions of a folder of results, opened when first asked for; threads may share it."""

    def __init__(self, results: Path, course: Course) -> None:
        self._results, self._course = results, course
        self._open = contextlib.ExitStack()
        weakref.finalize(self, self._open.close)  # removes what was unpacked
        self._lock = threading.Lock()
        self._folders: dict[GradeCommand, dict[str, Folder]] = {}
        self._read: OrderedDict[tuple[GradeCommand, str], Work] = OrderedDict()
        self._as_of = 0
        self._stubs = read_stubs(course)

    def sources(self, student: str) -> list[dict[str, Source]]:
        """A student's sources by exercise, of each folder that was graded, the latest first."""
        with self._lock:
            self._forget_what_was_graded_again()
            known = Pseudonyms(self._course.root / PSEUDONYMS)
            return [
                self._work(command, known.student(student)).sources
                for command in remembered(self._results)
            ]

    def _forget_what_was_graded_again(self) -> None:
        """Look anew at what was handed in, once the results have changed."""
        with contextlib.suppress(OSError):
            now = (self._results / REPORTS).stat().st_mtime_ns
            if now != self._as_of:
                self._folders.clear()
                self._read.clear()
                self._as_of = now

    def _work(self, command: GradeCommand, student: str) -> Work:
        key = command, student
        if key not in self._read:
            folder = self._opened(command).get(student)
            names = self._course.exercises
            self._read[key] = Work(student)
            if folder is not None:
                self._read[key] = guarded(
                    folder, names, lambda: read_work(folder, names, self._stubs), lambda work: work
                )
            while len(self._read) > KEPT:
                self._read.popitem(last=False)
        return self._read[key]

    def _opened(self, command: GradeCommand) -> dict[str, Folder]:
        """The students' folders; none where they are no longer there."""
        if command not in self._folders:
            roster = Path(command.roster) if command.roster else None
            self._folders[command] = {}
            with contextlib.suppress(UserError, OSError):
                found = self._open.enter_context(
                    opened(
                        Path(command.submissions), self._course, command.platform or None, roster
                    )
                )
                self._folders[command] = {folder.student: folder for folder in found.folders}
        return self._folders[command]
