"""LTI 1.3: a score record for each student, as its Assignment and Grade Services take them.

They are for a tool that has the right to post them; its list of members says who there is.
"""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec

from autograder.classroom.grades import Person, RowMatches, grade_of, name_of, names_note
from autograder.course.errors import UserError
from autograder.course.text import file_name
from autograder.platforms.bundle import zipped
from autograder.report.model import Report
from autograder.submission.read import UnreadableFile, read_bytes

MOST = 64 * 1024 * 1024
LEARNER = "learner"


class Member(msgspec.Struct):
    """Somebody in the platform's list of names and roles."""

    user_id: str
    name: str = ""
    given_name: str = ""
    family_name: str = ""
    email: str = ""
    lis_person_sourcedid: str = ""
    roles: list[str] = []

    @property
    def learns(self) -> bool:
        return not self.roles or any(LEARNER in role.casefold() for role in self.roles)

    def person(self, row: int) -> Person:
        names = [self.name or f"{self.given_name} {self.family_name}"]
        return Person(row, self.user_id, [self.lis_person_sourcedid], [self.email], names)


class Members(msgspec.Struct):
    """The answer of Names and Role Provisioning Services."""

    members: list[Member]


def scores(
    reports: Sequence[Report], template: Path, date: datetime | None
) -> tuple[bytes, list[str]]:
    """A zip with a record for each member who has points, and what is to be said of it.

    Raises:
        UserError: `template` is no list of members, or there is no date with a zone.
    """
    if date is None or date.tzinfo is None:
        raise UserError(
            "Say with --date when the scores were given, with a zone: 2027-02-10T12:00:00+01:00."
        )
    try:
        found = msgspec.json.decode(read_bytes(template, MOST), type=Members)
    except (UnreadableFile, msgspec.MsgspecError) as error:
        raise UserError(
            f"{template} cannot be used ({error}). Name the list of members that the platform's "
            f"Names and Role Provisioning Services give."
        ) from None
    learners = [member for member in found.members if member.learns]
    rows = RowMatches(
        reports, "lti", [member.person(row) for row, member in enumerate(learners, 1)]
    )
    files, left = [], []
    for row, member in enumerate(learners, 1):
        report = rows.people.get(row)
        record = _record(report, member.user_id, date) if report is not None else None
        if record is not None:
            data = msgspec.json.format(msgspec.json.encode(record), indent=2) + b"\n"
            files.append((f"{file_name(member.user_id)}.json", data))
        else:
            why = _why_not(report) if report is not None else "no result"
            left.append(f"{name_of(report) if report else member.name or member.user_id} ({why})")
    notes = names_note("Without a row, so not in the file", [*map(name_of, rows.without_a_row())])
    notes += names_note("Left out, since there are no points", left)
    return zipped(files), [*notes, *rows.unclear]


def _record(report: Report, user: str, date: datetime) -> dict[str, Any] | None:
    """A score record; one without a score says that a person will give it."""
    grade = grade_of(report, [exercise.name for exercise in report.exercises])
    record: dict[str, Any] = {
        "userId": user,
        "timestamp": date.isoformat(timespec="milliseconds"),
        "activityProgress": "Completed",
        "gradingProgress": "FullyGraded",
    }
    if report.changes:
        record["comment"] = "\n".join(report.changes)
    if grade.points is None:
        if report.status not in {"by hand", "needs a person"}:
            return None
        return record | {"gradingProgress": "PendingManual"}
    return record | {"scoreGiven": max(0.0, grade.points), "scoreMaximum": grade.maximum}


def _why_not(report: Report) -> str:
    return grade_of(report, [exercise.name for exercise in report.exercises]).why_not
