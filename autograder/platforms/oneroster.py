"""OneRoster 1.2: `results.csv`, for the students of a `users.csv` and no others.

Nobody's row is invented: a student has a result where there is something to say, be it only that
nothing was handed in. `status` and `dateLastModified` are empty, as in a file that is sent whole.
"""

import csv
import io
import uuid
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from autograder.classroom.grades import Person, RowMatches, grade_of, name_of, names_note
from autograder.classroom.table_import import Row, Table, cell
from autograder.course.errors import UserError
from autograder.course.text import number
from autograder.report.grades_table import safe_cell
from autograder.report.model import Report

COLUMNS = (
    "sourcedId",
    "status",
    "dateLastModified",
    "lineItemSourcedId",
    "studentSourcedId",
    "scoreStatus",
    "score",
    "scoreDate",
    "comment",
    "textScore",
    "classSourcedId",
    "inProgress",
    "incomplete",
    "late",
    "missing",
)
NEEDED = ("sourcedId",)
REMEDY = "Name the users.csv of the OneRoster files."
NAMES = uuid.UUID("0a3a1c35-90d1-5d7b-8e53-2b6f0d1f5a44")
TRUTH = {True: "true", False: "false"}


def results(
    reports: Sequence[Report], template: Path, line_item: str | None, date: datetime | None
) -> tuple[bytes, list[str]]:
    """The file, and what is to be said of it.

    Args:
        template: `users.csv`.
        line_item: the `sourcedId` of the line item that the results are for.
        date: when the scores were given.

    Raises:
        UserError: one of these is missing, or `template` is no such file.
    """
    if not line_item or date is None:
        raise UserError(
            "Say with --column the sourcedId of the line item, and with --date when the scores "
            "were given, such as 2027-02-10."
        )
    table = Table(template, NEEDED, 1, REMEDY)
    heads = [name.strip().casefold() for name in table.header]
    people = [person for row in table.rows if (person := _person(heads, row)) is not None]
    rows = RowMatches(reports, "oneroster", people)
    made, left = [], []
    for person in people:
        report = rows.people.get(person.row)
        if report is None:
            left.append(f"{person.names[0].strip() or person.id} (no result)")
            continue
        made.append(_result(report, person.id, line_item, date))
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerows([COLUMNS, *made])
    notes = names_note("Without a row, so not in the file", [*map(name_of, rows.without_a_row())])
    notes += names_note("Left out, since there is no result", left)
    return text.getvalue().encode(), [*notes, *rows.unclear]


def _person(heads: Sequence[str], row: Row) -> Person | None:
    """Whose a row is; only students' rows, where the file says who is one."""
    of = {name: cell(row, at).strip() for at, name in enumerate(heads)}
    role = of.get("role", "")
    if not of["sourcedid"] or role.casefold() not in {"", "student"}:
        return None
    others = [of.get("identifier", ""), of.get("username", "")]
    name = f"{of.get('givenname', '')} {of.get('familyname', '')}"
    return Person(row.line, of["sourcedid"], others, [of.get("email", "")], [name])


def _result(report: Report, student: str, line_item: str, date: datetime) -> list[str]:
    grade = grade_of(report, [exercise.name for exercise in report.exercises])
    values = {
        "sourcedId": str(uuid.uuid5(NAMES, f"{line_item}\0{student}")),
        "lineItemSourcedId": line_item,
        "studentSourcedId": student,
        "scoreStatus": _status(report, grade.excused),
        "score": "" if grade.points is None else number(grade.points),
        "scoreDate": date.date().isoformat(),
        "comment": safe_cell(" ".join(report.changes)),
        "late": TRUTH[bool(report.lateness)],
        "missing": TRUTH[report.status == "missing" and not grade.excused],
        "incomplete": TRUTH[report.status in {"by hand", "needs a person"}],
        "inProgress": TRUTH[False],
    }
    return [values.get(name, "") for name in COLUMNS]


def _status(report: Report, excused: bool) -> str:
    """The status of a score, by OneRoster's words for it."""
    if excused:
        return "exempt"
    if report.status == "missing":
        return "not submitted"
    if report.status in {"by hand", "needs a person"}:
        return "partially graded"
    return "submitted" if report.status == "not loaded" else "fully graded"
