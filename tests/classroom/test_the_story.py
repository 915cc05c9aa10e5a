"""Graded, adjusted, a check corrected, the difference seen, applied, exported again."""

import pytest
from click.testing import CliRunner

from autograder.cli import app
from autograder.course.errors import UserError
from autograder.grading import reports
from tests.courses import write_course

CHECKS = """
import pytest
from autograder.checks.expect import expect_close
from tests.courses import write_course


@pytest.mark.check("The area", points=3, hints=("What times what?",))
def test_area(submission, reference):
    expect_close(submission.area(2, 3), reference.area(2, 3))


@pytest.mark.check("A square", points=2, hints=("What is a square?",))
def test_square(submission):
    expect_close(submission.area(4, 4), SQUARE)
"""
DOORS = """
import pytest
from autograder.checks.expect import expect_close


@pytest.mark.check("Two", points=1, hints=("How many?",))
def test_two(submission):
    expect_close(submission.doors(2), 2)
"""
RIGHT = "def area(width, height):\n    return width * height\n"
LEARNT_BY_HEART = "def area(width, height):\n    return 6 if width == 2 else 15\n"
TWO_DOORS = "def doors(n):\n    return n\n"
GRADEBOOK = """Student,ID,SIS User ID,SIS Login ID,Section,Rooms and doors (12)
    Points Possible,,,,,14
Ann,101,ann,ann,A,
Bob,102,bob,bob,A,
Cem,103,cem,cem,A,
"""


@pytest.fixture
def story(tmp_path, monkeypatch):
    """A course in which a check is wrong, a class, and commands."""
    monkeypatch.setenv("COLUMNS", "160")
    course = write_course(
        tmp_path,
        {"areas": 10, "doors": 4},
        checks={"areas": CHECKS, "doors": DOORS},
        answers=RIGHT,
        title="Rooms",
        assignments=[
            {"name": "rooms", "title": "Rooms and doors", "exercises": ["areas", "doors"]}
        ],
    )
    checks = tmp_path / course.content.checks
    for student, text in (("ann", RIGHT), ("bob", LEARNT_BY_HEART), ("cem", None)):
        folder = tmp_path / "class" / student
        folder.mkdir(parents=True)
        if text is not None:
            (folder / "areas.py").write_text(text)
            (folder / "doors.py").write_text(TWO_DOORS)
    (tmp_path / "gradebook.csv").write_text(GRADEBOOK)

    class Story:
        out = tmp_path / "out"

        def check(self, square):
            (checks / "test_areas.py").write_text(CHECKS.replace("SQUARE", square))

        def run(self, *args):
            reports._digest.cache_clear()  # each command has a process of its own
            done = CliRunner().invoke(app, [*map(str, args), "--course", str(tmp_path)])
            known = done.exception is None or isinstance(done.exception, SystemExit | UserError)
            assert known, done.exception
            return done

        def grade(self, *more):
            return self.run("grade", tmp_path / "class", "--out", self.out, "--workers", 1, *more)

        def export(self):
            template = tmp_path / "gradebook.csv"
            upload = tmp_path / "upload.csv"
            args = ["--template", template, "--out", upload]
            done = self.run("export", "canvas", self.out, *args)
            assert done.exit_code == 0, (done.output, done.exception)
            return dict(line.split(",")[::5] for line in upload.read_text().splitlines()[2:])

        def pages(self):
            pages = (self.out / "feedback").iterdir()
            return {page.stem: page.read_text().partition("<footer")[0] for page in pages}

    return Story()


@pytest.mark.thorough
def test_only_what_should_change_does(story):
    story.check("15")  # who is right has no points for this check
    assert story.grade().exit_code == 0
    assert story.export() == {"Ann": "10", "Bob": "14", "Cem": ""}

    why = ("--why", "the last line was cut off", "--by", "Dr. X")
    assert story.run("adjust", story.out, "bob", "doors", "--add", "-1", *why).exit_code == 0
    done = story.grade("--apply")
    assert "bob      14 of 14 → 13 of 14  doors 4/4 → 3/4  adjustment" in done.output
    assert story.export() == {"Ann": "10", "Bob": "13", "Cem": ""}

    story.check("16")
    pages = story.pages()
    done = story.grade("--exercise", "areas")
    assert done.exit_code == 3
    said = " ".join(done.output.split())
    assert "2 grades change: check changed 2." in said
    assert "areas 6/10 → 10/10 (test_square: failed, 0/4 → passed, 4/4) check changed" in said
    assert "areas 10/10 → 6/10 (test_square: passed, 4/4 → failed, 0/4) check changed" in said
    assert story.export() == {"Ann": "10", "Bob": "13", "Cem": ""}
    assert story.pages() == pages

    assert story.grade("--exercise", "areas", "--apply").exit_code == 0
    assert story.export() == {"Ann": "14", "Bob": "9", "Cem": ""}
    now = story.pages()
    assert "Doors: −1 point by Dr. X" in now["bob"] and "the last line was cut off" in now["bob"]
    assert {name for name in now if now[name] != pages[name]} == {"ann", "bob"}
    history = CliRunner().invoke(app, ["history", str(story.out), "bob"]).output
    assert [line.split()[0] for line in history.splitlines()[1:] if line[0] != " "] == list("123")
    assert "adjustment" in history and "check changed" in history
    assert story.grade().exit_code == 0  # all of it again: nothing to ask
    assert story.export() == {"Ann": "14", "Bob": "9", "Cem": ""}
