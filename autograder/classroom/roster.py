"""Roster of a class: the students, and their names on each platform."""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from itertools import permutations
from pathlib import Path

import msgspec

from autograder.classroom.downloads import PLAIN, Owner, importers
from autograder.classroom.table_import import Row, Table, as_number
from autograder.course.course_file import Course
from autograder.course.errors import UserError
from autograder.course.text import did_you_mean, few, nearest, number, one_line, several
from autograder.report.grades_table import plain_cell
from autograder.report.model import HandIn

ABOUT = ("id", "name", "email", "section", "team", "group")  # `group` is the old name of `team`
HANDED_IN = ("extra_days", "excused", "handed_in", "late_days_used")
EVERYTHING = "all"  # value in the column `excused` for the whole course
REMEDY = "Give the column of the students' ids the name `id`, or name another file with --roster."
MAX_SHOWN = 10
LIKELY = 0.83  # similarity of two names that may differ by a typing error
MAX_DAYS = 3650


class Student(msgspec.Struct, frozen=True):
    """Row of the roster: a student's cells, the line number, and details of the hand-in."""

    line: int
    cells: dict[str, str]
    hand_in: HandIn

    @property
    def id(self) -> str:
        return self.cells["id"]


SIGNS = ("column", "id", "e-mail", "name", "team")  # the surest first


class Match(msgspec.Struct, frozen=True):
    """Students to whom a hand-in belongs."""

    ids: list[str]
    sign: str  # evidence, such as "e-mail"
    may_be: list[str] = []  # possible students, if it is unclear who is meant
    unclear: str = ""  # reason why it is unclear


class Roster:
    """The students of a class, in the order of the roster."""

    def __init__(self, path: Path, course: Course) -> None:
        if not path.is_file():
            raise UserError(
                f"{path} does not exist. Name the roster: a CSV file with a column `id`."
            )
        self.path = path
        assignments = [each.name for each in course.content.assignments]
        self._excusable = [*course.exercises, *assignments, EVERYTHING]
        others = {*ABOUT, *HANDED_IN, PLAIN.name}
        self._platforms = tuple(name for name in importers() if name not in others)
        self._columns = (*ABOUT, *self._platforms, *HANDED_IN)
        self._table = Table(path, self._columns, 1, REMEDY)
        self.students = [self._student(row) for row in self._table.rows]
        if not self.students:
            raise UserError(f"{path} lists no student. Expected one row per student.")
        self._spellings = {each.id: spellings(each.cells["name"]) for each in self.students}
        self._by_id: dict[str, Student] = {}
        for student in self.students:
            before = self._by_id.setdefault(student.id, student)
            if before is not student:
                raise UserError(
                    f"{path}, lines {before.line} and {student.line}: two rows have the id "
                    f"{student.id}. Delete one of them, or give it another id."
                )

    def _student(self, row: Row) -> Student:
        cells = {name: plain_cell(self._table.get(row, name).strip()) for name in self._columns}
        cells["team"] = cells["team"] or cells["group"]
        if not cells["id"]:
            raise UserError(f"{self.path}, line {row.line}: the id is missing. Enter one.")
        at = ""
        if cells["handed_in"]:
            try:
                at = datetime.fromisoformat(cells["handed_in"]).isoformat()
            except ValueError:
                expected = "a time such as 2027-02-05T23:10"
                raise self._wrong(row.line, "handed_in", expected, cells["handed_in"]) from None
        hand_in = HandIn(
            name=one_line(cells["name"], 120),
            email=one_line(cells["email"], 120),
            section=one_line(cells["section"], 120),
            ids={name: cells[name] for name in self._platforms if cells[name]},
            at=at,
            at_from="the roster" if at else "",
            enrolled=True,
            extra_days=self._days(row.line, "extra_days", cells),
            late_days_used=self._days(row.line, "late_days_used", cells),
            excused=self._excuses(row.line, cells["excused"]),
        )
        return Student(row.line, cells, hand_in)

    def _excuses(self, line: int, text: str) -> tuple[str, ...]:
        names = tuple(filter(None, re.split(r"[\s,;]+", text)))
        for name in names:
            if name not in self._excusable:
                expected = f"exercises, assignments or {EVERYTHING}"
                meant = did_you_mean(name, self._excusable)
                raise self._wrong(line, "excused", expected, name, meant)
        return names

    def _days(self, line: int, column: str, cells: Mapping[str, str]) -> float:
        text = cells[column]
        days = as_number(text) if text else 0.0
        if days is None or not 0 <= days <= MAX_DAYS:
            raise self._wrong(line, column, f"days from 0 to {number(MAX_DAYS)}", text)
        return days

    def _wrong(self, line: int, column: str, expected: str, cell: str, more: str = "") -> UserError:
        return UserError(
            f"{self.path}, line {line}, column {column}: expected {expected}, found "
            f"{cell!r:.40}.{more}"
        )

    def known(self, student: str) -> HandIn:
        return self._by_id[student].hand_in

    def match(self, people: Sequence[tuple[str, Owner]]) -> list[Match]:
        """Match people with students, by id, then by e-mail, then by name.

        Leave doubtful cases open. If several people may be the same student, the strongest evidence
        decides. For example, an id is stronger than a display name, which everybody can choose.
        """
        matches = [self._match(platform, person) for platform, person in people]
        claims: dict[str, list[int]] = {}
        for at, match in enumerate(matches):
            for student in match.ids:
                claims.setdefault(student, []).append(at)
        for student, places in claims.items():
            signs = [SIGNS.index(matches[at].sign) for at in places]
            names = [one_line(people[at][1].key, 60) for at in places]
            for at, sign in zip(places, signs, strict=True):
                if len(places) > 1 and (sign > min(signs) or signs.count(sign) > 1):
                    match = matches[at]
                    matches[at] = Match(
                        [other for other in match.ids if other != student],
                        match.sign,
                        [*match.may_be, student],
                        f"Each of {few(names, 5)} may be the student {student}.",
                    )
        return matches

    def _match(self, platform: str, person: Owner) -> Match:
        *candidates, (_, team) = self._candidates(platform, person)
        named = next(students for sign, students in candidates if sign == "name")
        if person.name == person.id:  # the only name of a plain folder is the id
            named = []
        for sign, students in candidates:
            ids = [student.id for student in students]
            if sign == "id" and named and len(ids) == 1 and students[0] not in named:
                ids += [student.id for student in named]  # one student's id, but another's name
            if len(ids) == 1:
                return Match(ids, sign)
            if ids:
                name = one_line(person.key, 60)
                return Match(
                    [], sign, ids, f"By {sign}, {name} may be any of the students {few(ids, 5)}."
                )
        return Match([student.id for student in team], "team")

    def settle(self, readings: Sequence[tuple[str, Owner]]) -> int | None:
        """Return the index of the only owner in the roster. With no owner or several, return None.

        Only ids are compared, and only if the roster has everybody's id on this platform.
        """
        fits = []
        for at, (platform, person) in enumerate(readings):
            column = platform if platform in self._platforms else "id"
            ids = {student.cells[column] for student in self.students}
            if "" in ids:
                return None
            if person.id in ids or person.key in ids:
                fits.append(at)
        return fits[0] if len(fits) == 1 else None

    def _candidates(self, platform: str, person: Owner) -> list[tuple[str, list[Student]]]:
        """Return the possible students for each kind of evidence, strongest first."""
        everybody = self.students
        keys = list(dict.fromkeys(filter(None, (person.id, person.key))))
        ids = keys if person.id or person.key != person.name else []  # a person's name is not an id
        email = person.email.casefold()
        free = [s for s in everybody if not s.cells.get(platform)]
        name = squashed(person.name)
        team = name or squashed(person.key)
        return [
            *(("column", [s for s in everybody if s.cells.get(platform) == key]) for key in keys),
            *(("id", [s for s in everybody if s.id == key]) for key in ids),
            ("e-mail", [s for s in free if email and s.cells["email"].casefold() == email]),
            ("name", [s for s in free if name and name in self._spellings[s.id]]),
            ("team", [s for s in everybody if team and squashed(s.cells["team"]) == team]),
        ]

    def is_team(self, name: str) -> bool:
        wanted = squashed(name)
        return bool(wanted) and any(squashed(s.cells["team"]) == wanted for s in self.students)

    def missing(self, there: Iterable[str]) -> list[str]:
        here = set(there)
        return [student.id for student in self.students if student.id not in here]

    def unclear(self, matches: Iterable[Match]) -> list[str]:
        texts = list(dict.fromkeys(match.unclear for match in matches if match.unclear))
        if not texts:
            return []
        more = f" {len(texts) - MAX_SHOWN} more." if len(texts) > MAX_SHOWN else ""
        return [
            f"Some submissions were not graded, since each may belong to several students "
            f"of {self.path}. "
            f"{' '.join(texts[:MAX_SHOWN])}{more} In the roster's column for the platform, "
            f"enter each student's name on the platform."
        ]

    def notes(self, missing: Sequence[str], strangers: Sequence[Owner]) -> list[str]:
        """Return notes on missing students, and on people who are not in the roster.

        A note on a person also names a missing student with a similar name.
        """
        notes = []
        if missing:
            who = several(len(missing), "student")
            shown = ", ".join(one_line(student, 80) for student in missing)
            notes.append(f"{who} of the roster handed in nothing: {shown}.")
        if strangers:
            absent = [self._by_id[id] for id in missing]
            called = []
            for person in strangers[:MAX_SHOWN]:
                called.append(one_line(person.key, 80))
                likely = [student for student in absent if _may_be_called(person, student)]
                if len(likely) == 1:
                    about = ", ".join(filter(None, (likely[0].cells["name"], likely[0].id)))
                    called[-1] += f" (perhaps {one_line(about, 80)})"
            more = f" {len(strangers) - MAX_SHOWN} more." if len(strangers) > MAX_SHOWN else ""
            notes.append(
                f"Graded, but not in the roster: {'; '.join(called)}.{more} If the roster has one "
                f"of these students under a different name, enter the student's name on the "
                f"platform in the platform's column of the roster."
            )
        return notes


def _may_be_called(person: Owner, student: Student) -> bool:
    id, name = student.id.casefold(), student.cells["name"]
    words, theirs = ({*map(_letters, each.split())} - {""} for each in (name, person.name))
    logins = {f"{a[:cut]}{b}" for a, b in permutations(words, 2) for cut in (1, len(a))}
    for key in filter(None, map(str.casefold, (person.id, person.key))):
        alike = key[0] == id[0] and re.findall(r"\d", key) == re.findall(r"\d", id)
        if _letters(key) in logins or (alike and not key.isdigit() and nearest(key, [id], LIKELY)):
            return True
    return len(words & theirs) > 1 or bool(nearest(squashed(person.name), spellings(name), LIKELY))


def _letters(word: str) -> str:
    return "".join(filter(str.isalpha, unicodedata.normalize("NFKD", word).casefold()))


def squashed(name: str) -> str:
    """Return a name in lower case with accents, but without blanks and punctuation."""
    plain = unicodedata.normalize("NFC", name).casefold()
    return "".join(char for char in plain if char.isalnum() or unicodedata.category(char)[0] == "M")


def spellings(name: str) -> set[str]:
    """Return the forms of a name. In each form, another word comes first, as in `Muster, Anna`."""
    words = name.replace(",", " ").split()
    return {squashed(" ".join(words[at:] + words[:at])) for at in range(len(words))} - {""}
