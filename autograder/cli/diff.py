"""`autograder diff`: whose grades differ between two folders of results, and why."""

from contextlib import closing
from pathlib import Path

from rich.console import Console

from autograder.classroom.grade_difference import GradeDifference, compare
from autograder.classroom.records import FILE, Records
from autograder.classroom.versions import HISTORY, see_settled
from autograder.cli import events
from autograder.cli.regrade import print_difference
from autograder.errors import UserError


def run(before: Path, after: Path, everything: bool, as_json: bool) -> int:
    """Say it; the exit code is 1 if a grade differs."""
    with closing(_records(before)) as earlier, closing(_records(after)) as later:
        difference = differ(earlier, later)
    if as_json:
        events.changes(difference.changes)
    else:
        most = None if everything else 12
        console = Console(highlight=False)
        print_difference(console, difference, Path("the output of diff --all"), most)
    return 1 if difference.changes else 0


def differ(before: Records, after: Records) -> GradeDifference:
    """All that differs, in the order of the later table; then who is no longer in it."""
    found = GradeDifference()
    gone = [student for student in before.students if student not in after]
    for student in [*after.students, *gone]:
        if before.line(student) == after.line(student):
            continue
        change = compare(before.get(student), after.get(student), None)
        if change is None:
            found.texts += 1
        else:
            found.changes.append(change)
    return found


def _records(place: Path) -> Records:
    """The records of a folder, or of a file of them.

    Raises:
        UserError: there are none.
    """
    folder = place if place.is_dir() else place.parent
    see_settled(folder)
    records = Records(place / FILE if place.is_dir() else place)
    if not records.there and folder.parent.name == HISTORY:
        raise UserError(
            f"{place} has no records of its own: it is the version that counts. Name "
            f"{folder.parent.parent} itself."
        )
    if not records.there:
        raise UserError(f"{place} holds no {FILE}. Name a folder that grade wrote with --out.")
    return records
