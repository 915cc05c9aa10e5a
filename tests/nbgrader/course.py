"""A small course in a real nbgrader directory, with an exchange and students."""

import csv
import io
import json
import os
import sys
from pathlib import Path

import nbformat
from nbgrader.api import Gradebook

from autograder.authoring.build import as_book
from tests.conftest import ROOT
from tests.nbgrader.commands import Done, Run, typed

ASSIGNMENT = "first"
COURSE = """\
title: A short course
limits: {call_seconds: 3, total_seconds: 20}
seed: 1
reference: reference
checks: reference/checks
helpers: [checks.earlier]
exercises:
  - name: softmax
    title: Softmax
    points: 12
  - name: hand_computation
    title: Attention by hand
    points: 13
  - name: reflection
    title: In your own words
    points: 12
    questions:
      - {name: why_scale, title: Why scale?, points: 4, rubric: ["RUBRIC-MARKER 1 point"]}
      - {name: attention_or_recurrence, title: What does it cost?, points: 4}
      - {name: what_it_means, title: What is it?, points: 4}
assignments:
  - {name: first, title: First, due: "2027-02-05T23:59:00+00:00",
     exercises: [softmax, hand_computation, reflection]}
"""
EXCHANGE = """
c.Exchange.root = {root!r}
c.CourseDirectory.course_id = "short"
"""
LATE = """
from nbgrader.api import Gradebook
from nbgrader.plugins import BasePlugin

class HalfAPoint(BasePlugin):
    def late_submission_penalty(self, student_id, score, total_seconds_late):
        with Gradebook(self.parent.db_url) as gradebook:  # as one would that counts days
            return 0.5 if gradebook.find_student(student_id).submissions else 99

c.AssignLatePenalties.plugin_class = HalfAPoint
"""


class ShortCourse:
    """Course: `short/` is the instructor's, `home/NAME` a student's, `exchange` between them."""

    def __init__(self, folder: Path, run: Run = typed) -> None:
        self.run = run
        self.folder = folder
        self.kit = folder / "kit"
        self.directory = folder / "short"
        self._make_kit()
        (folder / "exchange").mkdir(mode=0o777)
        os.chmod(folder / "exchange", 0o777)

    def _make_kit(self) -> None:
        self.kit.mkdir()
        for name in ("solutions", "reference", "autograder"):
            (self.kit / name).symlink_to(ROOT / name)
        (self.kit / "course.yml").write_text(COURSE)

    def init(self) -> None:
        """Make a course directory with `autograder nbgrader init`."""
        made = self.autograder("init", str(self.directory), cwd=self.kit)
        assert made.returncode == 0, made.stderr

    def set_up(self) -> None:
        """Make a course directory that is ready for submissions."""
        self.init()
        self.configure()
        self.nbgrader("generate_assignment", ASSIGNMENT)

    def hand_in(self, student: str, **texts: str) -> Path:
        """Hand in notebooks filled in from solved scripts, by name; return their folder."""
        folder = self.directory / "submitted" / student / ASSIGNMENT
        folder.mkdir(parents=True)
        for name, text in texts.items():
            released = self.directory / "release" / ASSIGNMENT / f"{name}.ipynb"
            (folder / released.name).write_bytes(released.read_bytes())
            fill_in(folder / released.name, text)
        return folder

    def autograder(self, *args: str, cwd: Path | None = None) -> "Done[str]":
        """Run one of our own commands."""
        bare = {**self.env(), "PATH": os.defpath}  # the environment need not be activated
        return self.run(["", "autograder", "nbgrader", *args], cwd or self.directory, bare)

    def nbgrader(self, *args: str, user: str = "", cwd: Path | None = None) -> str:
        """Run a real nbgrader command, under a student's name or as the instructor."""
        done = self.run([user, "nbgrader", *args], cwd or self.directory, self.env(user))
        assert done.returncode == 0, f"nbgrader {' '.join(args)}\n{done.stdout}\n{done.stderr}"
        return done.stdout + done.stderr

    def env(self, user: str = "") -> dict[str, str]:
        """Return the environment of a user of the machine, each with a separate home."""
        home = self.folder / "home" / (user or "instructor")
        home.mkdir(parents=True, exist_ok=True)
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("JUPYTER", "PYTEST"))}
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
        return {**kept, "HOME": str(home), "PATH": path, "AUTOGRADER_COURSE": str(self.kit)}

    def configure(self) -> None:
        """Configure the exchange and a penalty for lateness, as an instructor would."""
        config = self.directory / "nbgrader_config.py"
        config.write_text(config.read_text() + self.exchange + LATE)

    @property
    def exchange(self) -> str:
        """Return the configuration's lines that name the exchange."""
        return EXCHANGE.format(root=str(self.folder / "exchange"))

    def student(self, name: str) -> Path:
        """Return a student's own folder, whose nbgrader knows the exchange."""
        folder = self.folder / "home" / name
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "nbgrader_config.py").write_text(f"c = get_config()\n{self.exchange}")
        return folder

    def gradebook(self) -> Gradebook:
        return Gradebook(f"sqlite:///{self.directory / 'gradebook.db'}", "short")

    def rows(self) -> list[tuple[object, ...]]:
        """Return all grade rows of the gradebook."""
        with self.gradebook() as gradebook:
            return sorted(
                (
                    student.id, notebook.name, grade.name, grade.auto_score, grade.manual_score,
                    grade.needs_manual_grade, notebook.late_submission_penalty,
                )
                for student in gradebook.students
                for submission in student.submissions
                for notebook in submission.notebooks
                for grade in notebook.grades
            )  # fmt: skip

    def export(self) -> str:
        path = self.directory / "export.csv"
        self.nbgrader("export", "--to", str(path))
        return path.read_text()

    def totals(self) -> dict[str, float]:
        """Return the exported scores by student."""
        rows = csv.DictReader(io.StringIO(self.export()))
        return {row["student_id"]: float(row["score"]) for row in rows}


def with_a_kernel(config: str) -> str:
    """Return the configuration without the steps that run submissions confined."""
    start, end = config.index("# Submissions run confined"), config.index("c.Exchange.root")
    return config[:start] + config[end:]


def solution(exercise: str, *changes: tuple[str, str]) -> str:
    text = (ROOT / "solutions" / f"{exercise}.py").read_text()
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return text


def fill_in(path: Path, text: str) -> None:
    """Copy the answers of a solved script into a released notebook, cell by cell."""
    book = nbformat.read(path, as_version=4)
    set_answers(book, {cell["id"]: cell["source"] for cell in as_book(text).cells})
    os.chmod(path, 0o644)
    nbformat.write(book, path)


def set_answers(book, answers: dict[str, str]) -> None:
    """Replace the text of answer cells by their id."""
    for cell in book.cells:
        if cell.metadata.get("nbgrader", {}).get("solution") and cell["id"] in answers:
            cell.source = answers[cell["id"]]


def change(path: Path, edit) -> None:
    """Edit a notebook's JSON."""
    book = json.loads(path.read_text())
    edit(book)
    os.chmod(path, 0o644)
    path.write_text(json.dumps(book))
