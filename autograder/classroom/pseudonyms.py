"""Pseudonyms of a course. The table `pseudonyms.csv` has each student's pseudonym.

A student has the same pseudonym in all results. The module does not change names inside students'
files.
"""

import re
import secrets
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from autograder.classroom.hand_ins import Folder, may_hold
from autograder.classroom.submissions import StudentWork
from autograder.classroom.table_import import Row, Table
from autograder.course.course_file import Course
from autograder.course.errors import UserError
from autograder.course.text import several
from autograder.report.grades_table import plain_cell, safe_cell
from autograder.report.model import HandIn, Report

PSEUDONYMS = "pseudonyms.csv"
COLUMNS = ("pseudonym", "student", "name", "email", "hand_in")
NEEDED = 2
REMEDY = "Restore them: only this file says which student has which pseudonym."
LETTERS = "abcdefghjkmnpqrstuvwxyz"  # without letters that look like digits
LENGTH = 8
FEWEST = 3  # letters; shorter names are not replaced
HIDDEN = "…"
# Fields of a hand-in that do not identify its student.
KEPT = ("at", "at_from", "late", "enrolled", "extra_days", "late_days_used", "excused")


class Pseudonyms:
    _names: re.Pattern[str]

    def __init__(self, course: Course) -> None:
        """Read the table of pseudonyms. Without a table, there are no pseudonyms yet."""
        self.path = path = course.root / PSEUDONYMS
        self._table = Table(path, COLUMNS, NEEDED, REMEDY)
        self._rows: dict[str, Row] = {}
        self._students: dict[str, str] = {}
        self._new: dict[str, HandIn] = {}
        self._others: dict[str, str] = {}
        for row in self._table.rows:
            pseudonym, student = (plain_cell(self._table.get(row, c)) for c in COLUMNS[:NEEDED])
            if pseudonym in self._students or student in self._rows:
                raise UserError(
                    f"{path}, line {row.line}: {student} or {pseudonym} occurs twice. "
                    f"Delete the row that is not in the results."
                )
            self._rows[student] = row
            self._students[pseudonym] = student
        self._called = {student: pseudonym for pseudonym, student in self._students.items()}

    def student(self, pseudonym: str) -> str:
        """Return the student with this pseudonym. Return other names unchanged."""
        return self._students.get(pseudonym, pseudonym)

    def called(self, student: str) -> str:
        return self._called.get(student, student)

    def hidden(self, folders: Sequence[Folder]) -> list[Folder]:
        """Return the folders with pseudonyms instead of names. New students get new pseudonyms."""
        for folder in folders:
            student = folder.student
            known = self._new[student] = folder.hand_in or HandIn()
            while student not in self._called:
                drawn = "".join(secrets.choice(LETTERS) for _ in range(LENGTH))
                pseudonym = f"{drawn[: LENGTH // 2]}-{drawn[LENGTH // 2 :]}"
                if pseudonym not in self._students:
                    self._students[pseudonym] = student
                    self._called[student] = pseudonym
            for name in (student, known.name, known.email):
                if len(name) >= FEWEST:
                    self._others[name] = self._called[student]
        self._write()
        names = "|".join(map(re.escape, sorted(self._others, key=len, reverse=True)))
        self._names = re.compile(rf"(?<![^\W_])(?:{names})(?![^\W_])")
        renamed = []
        for folder in folders:
            notes = tuple(self._without(note, folder.student) for note in folder.notes)
            own = folder.hand_in
            hand_in = HandIn(**{name: getattr(own, name) for name in KEPT}) if own else None
            unclear = self._without(folder.unclear, folder.student)
            if folder.subfolders:  # these may be names of other students
                unclear = may_hold(several(len(folder.subfolders), "folder"))
            called = self._called[folder.student]
            changes = {"student": called, "hand_in": hand_in, "notes": notes, "unclear": unclear}
            renamed.append(msgspec.structs.replace(folder, **changes))
        return sorted(renamed, key=lambda folder: folder.student)

    def _without(self, text: str, student: str) -> str:
        if self._others:
            text = self._names.sub(lambda found: self._others[found[0]], text)
        known = self._new.get(student, HandIn())
        words = re.findall(rf"[^\W\d_]{{{FEWEST},}}", f"{student} {known.name} {known.email}")
        ids = [known.platform_id] if len(known.platform_id) >= FEWEST else []
        for word in dict.fromkeys([*ids, *words]):
            pattern = rf"(?<![^\W\d_]){re.escape(word)}(?![^\W\d_])"
            text = re.sub(pattern, HIDDEN, text, flags=re.IGNORECASE)
        return text

    def of_work(self, work: StudentWork) -> StudentWork:
        """Return a student's work with a pseudonym. Each file gets the name of its exercise."""
        student = self.student(work.student)
        labels = {s.label: f"{s.name}{Path(s.label).suffix}" for s in work.sources.values()}

        def hide(text: str) -> str:
            for label, plain in labels.items():
                text = text.replace(label, plain)
            return self._without(text, student)

        sources = {}
        for name, source in work.sources.items():
            label = f"{source.name}{Path(source.label).suffix}"
            units = tuple(
                msgspec.structs.replace(unit, label=label) if unit.label == source.label else unit
                for unit in source.units
            )
            sources[name] = msgspec.structs.replace(source, label=label, units=units)
        return StudentWork(
            student=work.student,
            sources=sources,
            unclear={name: hide(text) for name, text in work.unclear.items()},
            not_loaded={name: hide(text) for name, text in work.not_loaded.items()},
            notes=[hide(note) for note in work.notes],
            chosen=work.chosen,
            requests={name: hide(text) for name, text in work.requests.items()},
        )

    def refuse_mixed(self, students: Iterable[str], anonymous: bool, results: Path) -> None:
        names = list(students)
        known = [student for student in names if student in self._students]
        if anonymous and len(known) < len(names):
            raise UserError(
                f"{results} has results with names. For results without names, use another --out."
            )
        if not anonymous and known:
            raise UserError(
                f"{results} has results without names. Add --anonymous, or use another --out."
            )

    def _write(self) -> None:
        rows = []
        for pseudonym, student in self._students.items():
            old, hand_in = self._rows.get(student), self._new.get(student)
            values = {}
            if old is None:
                values = {"pseudonym": pseudonym, "student": safe_cell(student)}
            if hand_in is not None:
                values |= {"name": safe_cell(hand_in.name), "email": safe_cell(hand_in.email)}
                values["hand_in"] = safe_cell(msgspec.json.encode(hand_in).decode())
            rows.append(self._table.row(values, old))
        trouble = self._table.write(rows)
        if trouble:
            raise UserError(f"{trouble}, then run the same command again.")
        self.path.chmod(0o600)

    def with_names(self, reports: Sequence[Report]) -> list[Report]:
        """Return reports with names instead of pseudonyms. Other reports are unchanged."""
        named = []
        for report in reports:
            student = self._students.get(report.student)
            if student is None:
                named.append(report)
                continue
            row = self._rows[student]
            try:
                cell = plain_cell(self._table.get(row, "hand_in"))
                known = msgspec.json.decode(cell or "{}", type=HandIn)
            except msgspec.MsgspecError as error:
                raise UserError(
                    f"{self.path}, line {row.line}, column hand_in: the cell is damaged ({error}). "
                    f"Run the same grade command again. It writes the cell again."
                ) from None
            known = msgspec.structs.replace(known, pseudonym=report.student)
            named.append(msgspec.structs.replace(report, student=student, hand_in=known))
        return named
