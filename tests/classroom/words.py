"""A class with answers in words: no process is started, and no exercise is run."""

import csv
from pathlib import Path

import msgspec

from autograder.classroom.marking import Marking
from autograder.classroom.marks import Marks, answer_id, answers_of
from autograder.classroom.store import GivenMark
from autograder.report.model import ExerciseReport, Grader, Report, WrittenAnswer
from tests.courses import write_course

ESSAY = {
    "points": 8,
    "questions": [
        {
            "name": "why",
            "title": "Why are the scores divided?",
            "points": 4,
            "rubric": [
                "1 point: the variance grows.",
                "2 points: the softmax.",
                "1 point: not by d_k.",
            ],
        },
        {
            "name": "cost",
            "title": "What does it cost?",
            "points": 4,
            "rubric": ["2 points: time.", "2 points: memory."],
        },
    ],
}
GRADER = Grader(version="1", python="3", numpy="2", digest="d", seed=0, confinement="none")


class Words:
    """Course, the answers of a class in `out`, and a `grade` that handles marks as the command."""

    def __init__(self, folder: Path):
        self.root, self.out = folder / "course", folder / "out"
        self.root.mkdir()
        self.out.mkdir()
        self.course = write_course(self.root, {"essay": ESSAY}, title="Words")
        self.texts: dict[tuple[str, str], str] = {}

    def answer(self, student, text, question="why"):
        self.texts[student, question] = text

    def reports(self):
        students = dict.fromkeys(student for student, _ in self.texts)
        return [self._report(student) for student in students]

    def _report(self, student):
        questions = self.course.exercise("essay").questions
        answers = tuple(
            WrittenAnswer(
                name=q.name, title=q.title, text=self.texts[student, q.name], max_points=q.points
            )
            for q in questions
            if (student, q.name) in self.texts
        )
        exercise = ExerciseReport(
            name="essay", title="Essay", status="by hand", points=0, max_points=8, answers=answers
        )
        return Report(
            student=student, course="Words", status="by hand", points=0, max_points=8,
            grader=GRADER, exercises=(exercise,),
        )  # fmt: skip

    def grade(self):
        """Return each student's points by question, None if an answer waits, and the notes."""
        marks = Marks(self.out, self.course, self.course.exercises.values())
        return self.finish(marks)

    def finish(self, marks):
        reports = self.reports()
        given = [
            msgspec.structs.replace(
                r, exercises=tuple(marks.given(e, r.student) for e in r.exercises)
            )
            for r in reports
        ]
        answers = [each for report in reports for each in answers_of(report)]
        notes = [*marks.notes(answers), *marks.write(answers)]
        records = b"".join(msgspec.json.encode(report) + b"\n" for report in given)
        (self.out / "report.jsonl").write_bytes(records)
        points = {
            (r.student, a.name): a.points for r in given for e in r.exercises for a in e.answers
        }
        return points, notes

    def desk(self):
        return Marking(self.out, self.course)

    def mark(self, desk, student, points, comment="", by="ann", question="why", seen=None):
        key = student, "essay", question
        token = seen or desk.standing(desk.answers()[key]).token
        given = GivenMark(*key, answer_id(self.texts[student, question]), points, comment)
        desk.enter(by, [given], [token])

    def rows(self):
        with (self.out / "by-hand.csv").open(newline="") as file:
            return {(row["student"], row["question"]): row for row in csv.DictReader(file)}

    def type_in(self, student, points, question="why", **cells):
        """Enter points in the table, as in a spreadsheet."""
        rows = self.rows()
        rows[student, question] |= {"points": points, **cells}
        with (self.out / "by-hand.csv").open("w", newline="") as file:
            table = csv.DictWriter(file, next(iter(rows.values())).keys(), lineterminator="\n")
            table.writeheader()
            table.writerows(rows.values())
