"""A class that is graded at once: points are read from the work, and no process is started.

Work is a line such as `a=2 b=0`: the points in the exercise's checks a and b. A check multiplies
them by the number in its own file, so that tests can correct a check. A search for a repair finds
one in work with `line=3`, of that line.
"""

import contextlib
import csv
import re

import msgspec
from click.testing import CliRunner

from autograder.classroom import grade_class as module
from autograder.classroom.grade_class import Job, grade_class
from autograder.cli import app
from autograder.course.course_file import load_course
from autograder.course.errors import UserError
from autograder.grading import reports as reports_module
from autograder.report.model import CheckReport, ExerciseReport, Line, Repair
from tests.courses import write_course


class Quick:
    """Course, a class of `work`, and results in `out`."""

    def __init__(self, folder, monkeypatch):
        self.root, self.out = folder / "course", folder / "out"
        self.class_folder = folder / "class"
        self.class_folder.mkdir()
        self.asked, self.searched = [], []
        course = write_course(
            self.root,
            {"one": 10, "two": 10},
            checks={"one": "", "two": ""},
            title="Quick",
            assignments=[
                {
                    "name": "first",
                    "title": "First",
                    "due": "2027-02-05T23:59",
                    "exercises": ["one"],
                },
                {
                    "name": "second",
                    "title": "Second",
                    "due": "2027-02-12T23:59",
                    "exercises": ["two"],
                },
            ],
        )
        self.checks = self.root / course.content.checks
        for name in ("one", "two"):
            self.check(name, "a=1 b=1")
        self.graders = self.graded
        monkeypatch.setattr(module, "open_pool", lambda *_: contextlib.nullcontext(self.graders))
        monkeypatch.setattr("autograder.cli.grade_run.refuse_new_errors", lambda *_: None)

    def check(self, exercise, text):
        path = self.checks / f"test_{exercise}.py"
        path.write_text(f'"""{text}"""\n')

    def work(self, student, **exercises):
        folder = self.class_folder / student
        folder.mkdir(exist_ok=True)
        for name, text in exercises.items():
            path = folder / f"{name}.py"
            if text is None:
                path.unlink()
            else:
                path.write_text(f"said = '{text}'\n")

    def job(self, *names, out=None, **more):
        reports_module._digest.cache_clear()  # one process runs several gradings here
        course = load_course(self.root / "course.yml")
        exercises = [course.exercise(name) for name in names] or course.content.exercises
        partial = bool(names or more.get("students"))
        job = Job(
            course=course,
            exercises=tuple(exercises),
            submissions=self.class_folder,
            out=out or self.out,
            workers=1,
            seed=0,
            **more,
        )
        return msgspec.structs.replace(job, partial=partial)

    def grade(self, *names, decide=lambda _: True, progress=lambda *_: None, **more):
        return grade_class(self.job(*names, **more), progress, decide)

    def run(self, command, *args, out=None, **more):
        """Run a command on the results; `grade` gets the class."""
        reports_module._digest.cache_clear()
        options = ["--course", str(self.root)] if command in {"grade", "adjust", "export"} else []
        if command == "grade":
            options += [str(self.class_folder), "--out", str(out or self.out), "--own-code"]
        done = CliRunner().invoke(app, [command, *map(str, args), *options], **more)
        assert done.exception is None or isinstance(done.exception, SystemExit | UserError), done
        return done

    def table(self, out=None):
        with ((out or self.out) / "grades.csv").open(newline="") as file:
            rows = list(csv.DictReader(file))
        known = ("one", "two", "total")
        return {row["student"]: " ".join(row.get(n, "-") or "." for n in known) for row in rows}

    def files(self, out=None):
        """Return all files that a run writes for people, without the times in them."""
        folder = out or self.out
        files = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*.*")}
        left_out = ("history/", "proposed/", "journal", "marks.sqlite", "grade.log", ".lock")
        return {
            name: path.read_bytes()
            for name, path in files.items()
            if path.is_file() and not name.startswith(left_out)
        }

    def graded(self, tasks, _):
        for task in tasks:
            reports = {}
            for source in task.sources:
                asked = self.searched if task.search_seconds else self.asked
                asked.append((task.student, source.name))
                report = self._report(source)
                if task.search_seconds and (line := re.search(r"line=(\d+)", source.text)):
                    said = f"A change in line {line[1]} makes every check pass."
                    place = Line(file=source.label, line=int(line[1]), text=f"line = {line[1]}")
                    repair = Repair(said=said, places=(place,))
                    report = msgspec.structs.replace(report, repair=repair)
                reports[source.name] = msgspec.json.encode(report)
            yield task, reports

    def _report(self, source):
        course = load_course(self.root / "course.yml")
        text = (self.checks / f"test_{source.name}.py").read_text()
        worth = dict(re.findall(r"(\w)=(\d+)", text))
        given = dict(re.findall(r"(\w)=(\d+)", source.text))
        checks = tuple(
            CheckReport(
                name=f"test_{name}",
                title=name.upper(),
                points=float(given.get(name, 0)) * float(factor),
                max_points=5.0,
                outcome="passed" if given.get(name, "0") != "0" and factor != "0" else "failed",
            )
            for name, factor in worth.items()
        )
        return ExerciseReport(
            name=source.name,
            title=source.name.title(),
            status="graded",
            points=sum(check.points for check in checks),
            max_points=course.exercise(source.name).points,
            file=source.label,
            digest=source.digest,
            checks=checks,
        )
