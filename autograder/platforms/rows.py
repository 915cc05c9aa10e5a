"""Students to whom the rows in a platform's table belong."""

from collections import Counter
from collections.abc import Sequence

import msgspec

from autograder.classroom.roster import spellings, squashed
from autograder.course.text import few, one_line
from autograder.report.model import Report


class Person(msgspec.Struct, frozen=True):
    """Student in a row of a platform's table: the id there, and other ids, e-mails and names."""

    row: int
    id: str
    others: Sequence[str] = ()
    emails: Sequence[str] = ()
    names: Sequence[str] = ()

    @property
    def shown(self) -> str:
        names = (name.strip() for name in (*self.names, self.id, *self.others))
        return next(filter(None, names), "?")


class RowMatches:
    """The report for each row of a table. A row that may belong to several students has no report.

    `unclear` has a note on each such row, with advice; by default, to enter the platform's ids.
    `without_row` has the reports for which there is no row.
    """

    def __init__(
        self,
        reports: Sequence[Report],
        platform: str,
        people: Sequence[Person],
        advice: str = "",
    ) -> None:
        advice = advice or (
            f"Enter the student's number on {platform} in the roster's column {platform}, and "
            f"grade again."
        )
        self._ids = {report.student: ids_of(report, platform) for report in reports}
        self._spellings = {
            report.student: spellings(report.hand_in.name if report.hand_in else report.student)
            for report in reports
        }
        candidates = {person.row: self._candidates(person, reports) for person in people}
        uses = Counter(report.student for found in candidates.values() for report in found)
        self.by_row: dict[int, Report] = {}
        self.unclear: list[str] = []
        for row, found in candidates.items():
            if len(found) == 1 and uses[found[0].student] == 1:
                self.by_row[row] = found[0]
            elif found:
                names = few([one_line(name_of(report), 80) for report in found], 5)
                self.unclear.append(
                    f"Row {row} may belong to {names}, so it was not filled in. {advice}"
                )
        matched = {report.student for report in self.by_row.values()}
        self.without_row = [report for report in reports if report.student not in matched]

    def _candidates(self, person: Person, reports: Sequence[Report]) -> list[Report]:
        """Return a person's possible reports, by platform id, or else by id, e-mail or name."""
        free = [report for report in reports if not self._ids[report.student]]
        ids = {person.id, *person.others} - {""}
        emails = {email.strip().casefold() for email in person.emails} - {""}
        names = {squashed(name) for name in person.names} - {""}
        return (
            [report for report in reports if person.id in self._ids[report.student]]
            or [report for report in free if report.student in ids]
            or [r for r in free if r.hand_in and r.hand_in.email.casefold() in emails]
            or [report for report in free if names & self._spellings[report.student]]
        )


def name_of(report: Report) -> str:
    """Return a student's id, with the name if it is known and different."""
    name = report.hand_in.name if report.hand_in else ""
    same = not name or name == report.student or report.student.startswith(f"{name}_")
    return report.student if same else f"{report.student} ({name})"


def ids_of(report: Report, platform: str) -> set[str]:
    """Return a student's known ids on a platform."""
    hand_in = report.hand_in
    if hand_in is None:
        return set()
    own = hand_in.platform_id if hand_in.platform == platform else ""
    return {hand_in.ids.get(platform, ""), own} - {""}
