"""A class's submissions, opened: unpacked where they are a zip, and put in order by student."""

import contextlib
import tempfile
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import TypeVar

import msgspec

from autograder.classroom.folders import Folder
from autograder.classroom.hand_ins import Download, hand_ins
from autograder.classroom.intake import Work
from autograder.classroom.roster import Roster
from autograder.course import Course
from autograder.errors import UserError
from autograder.grading.overtime import Overtime, at_most
from autograder.submission.archive import unpack
from autograder.text import one_line

READ_SECONDS = 60  # of the processor, for one student's folder

T = TypeVar("T")


class Opened(msgspec.Struct, frozen=True):
    """The students' folders in order, what is to be said of them, and a folder for scratch."""

    folders: list[Folder]
    notes: list[str]
    scratch: Path


@contextlib.contextmanager
def opened(
    submissions: Path, course: Course, platform: str | None = None, roster: Path | None = None
) -> Iterator[Opened]:
    """The submissions in a folder or a zip, for as long as this is open.

    Raises:
        UserError: they cannot be read, nothing of the named platform is there, or the roster is
            no roster or leaves open who somebody is.
        OSError: there is no room to unpack them.
    """
    enrolled = Roster(roster) if roster is not None else None
    with tempfile.TemporaryDirectory(prefix="autograder-") as made:
        scratch = Path(made)
        source = Download(submissions, platform=platform)
        notes: list[str] = []
        if submissions.is_file():
            root = scratch / "submissions"
            root.mkdir()
            notes, listed = unpack(submissions, root)
            source = Download(root, tuple(listed), platform)
        folders, others = hand_ins(source, course.exercises, enrolled, scratch / "students")
        yield Opened(folders, [*notes, *others], scratch)


def guarded(
    folder: Folder, names: Collection[str], read: Callable[[], T], otherwise: Callable[[Work], T]
) -> T:
    """What `read` makes of a folder; where that goes wrong, what `otherwise` makes of a work that
    says so: it costs this student alone.

    Raises:
        UserError: it is not the folder that is at fault.
    """
    try:
        with at_most(READ_SECONDS):
            return read()
    except UserError:  # of the course or the journal
        raise
    except Overtime:
        wrong = f"it took over {READ_SECONDS} seconds"
    except Exception as error:  # whatever a file was made to cause
        wrong = type(error).__name__
    reason = f"The folder cannot be read ({one_line(wrong, 80)}). Look at what is in it."
    return otherwise(Work(folder.student, unclear=dict.fromkeys(names, reason)))
