"""A small course on rectangles without authoring errors, and commands run on it in this process."""

import itertools
import sys

from autograder.cli import main

NUMBERS = itertools.count()

COURSE = """
title: Rectangles
reference: {name}
checks: {name}/checks
exercises:
  - {{name: areas, title: Areas, points: 10}}
"""
SOLUTION = '''
def area(width, height=1):
    """width · height"""
    ### BEGIN SOLUTION
    return width * height
    ### END SOLUTION


def perimeter(width, height):
    ### BEGIN SOLUTION
    return 2 * (width + height)
    ### END SOLUTION
'''
REFERENCE = """
def area(width, height=1):
    return width * height

def perimeter(width, height):
    return 2 * (width + height)
"""
CHECKS = """
import pytest
from autograder.checks.expect import expect_close


@pytest.mark.check("The area", points=2, hints=("What times what?",))
def test_area(submission, reference):
    expect_close(submission.area(2, 3), reference.area(2, 3))


@pytest.mark.hidden
@pytest.mark.check(
    "The perimeter",
    needs=["test_area"],
)
def test_perimeter(submission, reference):
    expect_close(submission.perimeter(2, 3), reference.perimeter(2, 3))
"""
MISTAKES = """
from autograder.author import Fact, Family, Mistakes, Probe, Recipe, Trait

HINTS = ("A question.", "A property.", "A place.")
STEPS = {
    "product": lambda s: s.width * s.height,
    "area": lambda s: s.product,
}
WRONG = (
    Family("product", HINTS, {"added": ("You add.", lambda s: s.width + s.height)}),
    Family(
        "area",
        HINTS,
        {"halved": ("You take the half.", lambda s: s.product / 2)},
    ),
)
MISTAKES = Mistakes(
    Recipe(
        "area",
        lambda draw: [Probe((2 + draw, 3)), Probe((5, 7 + draw)), (4,)],
        WRONG,
        steps=STEPS,
        parameters=("width", "height"),
        defaults={"height": 1},
        traits=(Trait(lambda s: s.height > 5, "with a high one", "with a low one"),),
        facts=(Fact("negative", lambda s, v: v < 0, "It is negative."),),
    )
)
"""
FILES = {
    "solution": "solutions/areas.py",
    "reference": "{name}/__init__.py",
    "checks": "{name}/checks/test_areas.py",
    "mistakes": "{name}/misconceptions/areas.py",
}
TEXTS = {"solution": SOLUTION, "reference": REFERENCE, "checks": CHECKS, "mistakes": MISTAKES}


def make(folder, which="", before="", after="", **whole):
    """Return the course, with one text of one file replaced, or with whole files by name.

    Its packages get new names each time, because Python keeps imported modules.
    """
    name = f"rectangles{next(NUMBERS)}"
    texts = {**TEXTS, **whole}
    if which:
        assert before in texts[which]
        texts[which] = texts[which].replace(before, after)
    for key, text in texts.items():
        path = folder / FILES[key].format(name=name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (folder / name / "misconceptions" / "__init__.py").touch()
    (folder / "course.yml").write_text(COURSE.format(name=name))
    (folder / "class" / "s01").mkdir(parents=True)
    (folder / "class" / "s01" / "areas.py").write_text(texts["solution"])
    return folder


def arguments(folder, command):
    """Return the command line of a command on that course."""
    more = {
        "build": [],
        "check": [folder / "class" / "s01" / "areas.py"],
        "grade": [folder / "class", "--out", folder / "out", "--workers", "1", "--own-code"],
        "verify": ["--workers", "1", "--no-mutants"],
    }
    return [command, *more[command], "--course", folder]


def command(monkeypatch, capsys, *args):
    """Return the exit code of a command, and its output on both channels."""
    monkeypatch.setattr(sys, "argv", ["autograder", *map(str, args)])
    try:
        main()
        code = 0
    except SystemExit as exit:
        code = exit.code
    said = capsys.readouterr()
    return code, said.out, said.err
