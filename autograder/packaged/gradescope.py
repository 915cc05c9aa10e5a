"""Gradescope's autograder: `autograder.zip`, and what its `run_autograder` does.

The zip lies in `/autograder/source`, a submission in `/autograder/submission`; what is known of it
in `/autograder/submission_metadata.json`. The results go to `/autograder/results/results.json`.
"""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

import msgspec

from autograder.course import Course, Exercise
from autograder.exports.gradescope import results_of
from autograder.files import write_whole
from autograder.packaged.bundle import Files, bundle, template
from autograder.packaged.grade_one import grade_one, opened
from autograder.report.model import HandIn
from autograder.text import few, number, one_line

PLATFORM = "gradescope"
FILE = "autograder.zip"
MAX_NAMES = 5


class OwnDates(msgspec.Struct):
    """The dates of one student, who may have an extension."""

    due_date: datetime | None = None


class User(msgspec.Struct):
    """Who handed in."""

    id: int | str = ""
    email: str = ""
    name: str = ""
    assignment: OwnDates = msgspec.field(default_factory=OwnDates)


class Settings(msgspec.Struct):
    """The assignment as Gradescope has it; `total_points` is a text there."""

    due_date: datetime | None = None
    total_points: str | float | None = None


class Metadata(msgspec.Struct):
    """What of `submission_metadata.json` is used here."""

    id: int | str = ""
    created_at: datetime | None = None
    users: list[User] = []
    assignment: Settings = msgspec.field(default_factory=Settings)


def package(course: Course, exercises: Sequence[Exercise], index: str | None = None) -> Files:
    """The files of `autograder.zip`; `index` is where pip looks for builds of torch."""
    found = bundle(course, exercises, PLATFORM)
    option = f"--extra-index-url '{index}' " if index else ""
    found["setup.sh"] = template("gradescope_setup.sh", INDEX=option)
    found["run_autograder"] = template("gradescope_run.sh")
    return found


def run(root: Path) -> None:
    """Grade the submission that lies below Gradescope's folder, and write its results.

    Raises:
        UserError: it cannot be graded here; then there are no results, and Gradescope says so.
    """
    package = opened(root / "source")
    known = read_metadata(root / "submission_metadata.json")
    course = with_due(package.course, known)
    hand_in = hand_in_of(known)
    report = grade_one(
        course, package.exercises, root / "submission", hand_in, hand_in.email or hand_in.name
    )
    total = known.assignment.total_points
    if total is not None and float(total) != report.max_points:
        print(
            f"The exercises give {number(report.max_points)} points, the assignment on Gradescope "
            f"has {number(float(total))}. Set it to the same, unless people give points as well."
        )
    print(f"Confined: {report.grader.confinement}. Status: {report.status}.")
    results = results_of(report, course.content.hints)
    folder = root / "results"
    folder.mkdir(exist_ok=True)
    write_whole(folder / "results.json", msgspec.json.encode(results))


def read_metadata(path: Path) -> Metadata:
    """What Gradescope says of the submission; nothing, where the file is not there or another."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=Metadata)
    except (OSError, msgspec.MsgspecError) as error:
        print(f"{path} cannot be used ({one_line(str(error))}), so lateness is not known.")
        return Metadata()


def hand_in_of(known: Metadata) -> HandIn:
    """The submission as the report has it; an extension of the first of a group counts."""
    users = known.users or [User()]
    due, own = known.assignment.due_date, users[0].assignment.due_date
    more = (own - due).total_seconds() / 86400 if own is not None and due is not None else 0.0
    names = [one_line(user.name, 60) for user in users]
    return HandIn(
        platform=PLATFORM,
        platform_id=str(users[0].id),
        name=few(names, MAX_NAMES),
        email=one_line(users[0].email, 120),
        entries=(f"submission_{known.id}",),
        at=known.created_at.isoformat() if known.created_at else "",
        at_from="Gradescope" if known.created_at else "",
        extra_days=max(0.0, more),
    )


def with_due(course: Course, known: Metadata) -> Course:
    """The course, with Gradescope's deadline for assignments that state none."""
    due = known.assignment.due_date
    if due is None:
        return course
    assignments = tuple(
        each if each.due else msgspec.structs.replace(each, due=due)
        for each in course.content.assignments
    )
    return Course(course.root, msgspec.structs.replace(course.content, assignments=assignments))
