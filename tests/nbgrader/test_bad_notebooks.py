"""Broken and hostile notebooks cost only their own student only what is touched, and gain nothing."""

import copy
import csv
import io
import json

import pytest

from tests.nbgrader.course import ASSIGNMENT, ShortCourse, change, fill_in, solution

HONEST = 25.0  # softmax and hand_computation
WITHOUT_SOFTMAX = 13.0


def code_cell(text, name="own", **mark):
    metadata = {"nbgrader": mark} if mark else {}
    return {
        "cell_type": "code", "id": name, "metadata": metadata, "source": text,
        "outputs": [], "execution_count": None,
    }  # fmt: skip


def is_answer(cell):
    mark = cell["metadata"].get("nbgrader", {})
    return mark.get("solution") and cell["cell_type"] == "code"


def is_check(cell):
    return cell["metadata"].get("nbgrader", {}).get("grade_id", "").startswith("check-")


def duplicate_answer(book):
    place = next(n for n, cell in enumerate(book["cells"]) if is_answer(cell))
    book["cells"].insert(place + 1, copy.deepcopy(book["cells"][place]))


def delete_check(book):
    book["cells"] = [cell for cell in book["cells"] if not is_check(cell)]


def duplicate_check(book):
    book["cells"] += [copy.deepcopy(cell) for cell in book["cells"] if is_check(cell)]


def strip_metadata(book):
    for cell in book["cells"]:
        cell["metadata"] = {}


def rename_ids(book):
    for cell in book["cells"]:
        if "nbgrader" in cell["metadata"]:
            cell["metadata"]["nbgrader"]["grade_id"] += "-mine"


def rewrite_check(book):
    for cell in book["cells"]:
        if is_check(cell):
            cell["source"] = "12.0"


def more_points(book):
    for cell in book["cells"]:
        if is_check(cell):
            cell["metadata"]["nbgrader"]["points"] = 1000


def answer_with_points(book):
    for cell in book["cells"]:
        if is_answer(cell):
            cell["metadata"]["nbgrader"].update(grade=True, points=100)


def loose_ends(book):
    book["cells"].insert(0, {"cell_type": "unheard of", "metadata": {}, "source": 3})


def delete_answer(book):
    book["cells"] = [cell for cell in book["cells"] if not is_answer(cell)]


def instead(text):
    """The answer replaced by other code."""

    def edit(book):
        for cell in book["cells"]:
            if is_answer(cell):
                cell["source"] = text

    return edit


def beside(text):
    """Code in front of an answer that is missing."""

    def edit(book):
        delete_answer(book)
        book["cells"].insert(0, code_cell(text))

    return edit


# name: what is done to softmax.ipynb, and the total that is right
KINDS = {
    "honest": (lambda book: None, HONEST),
    "answer-duplicated": (duplicate_answer, HONEST),
    "check-deleted": (delete_check, HONEST),
    "check-duplicated": (duplicate_check, HONEST),
    "metadata-stripped": (strip_metadata, HONEST),
    "ids-renamed": (rename_ids, HONEST),
    "check-rewritten": (rewrite_check, HONEST),
    "points-raised": (more_points, HONEST),
    "answer-with-points": (answer_with_points, HONEST),
    "answer-deleted": (delete_answer, WITHOUT_SOFTMAX),
    "endless-loop": (instead("while True: pass"), WITHOUT_SOFTMAX),
    "exits": (instead("import os; os._exit(0)"), WITHOUT_SOFTMAX),
    "raises": (instead("1 / 0"), WITHOUT_SOFTMAX),
    "endless-output": (
        instead("def softmax(x, axis=-1):\n    while True: print('x' * 10000)"),
        WITHOUT_SOFTMAX,
    ),
    "asserts-replaced": (
        beside(
            "import numpy as np\nnp.testing.assert_allclose = np.allclose = lambda *a, **k: True"
        ),
        WITHOUT_SOFTMAX,
    ),
    "cells-transformed": (
        beside(
            "get_ipython().input_transformers_cleanup.append(lambda lines: ['12.0'])\n"
            "import sys; sys.displayhook(12.0)"
        ),
        WITHOUT_SOFTMAX,
    ),
    "reads-the-source": (
        beside("softmax = open('../../../source/first/softmax.ipynb').read()"),
        WITHOUT_SOFTMAX,
    ),
    "writes-the-gradebook": (
        beside(
            "import sqlite3\n"
            "db = sqlite3.connect('gradebook.db')\n"
            "db.execute('update grade set manual_score = 12')\n"
            "db.commit()"
        ),
        WITHOUT_SOFTMAX,
    ),
    "forges-check": (
        beside("import autograder\nautograder.check = lambda *_: 12.0"),
        WITHOUT_SOFTMAX,
    ),
}
UNUSABLE = {"broken-json": b'{"cells": [', "an-odd-cell": None, "empty-file": b""}


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """One class of them all, graded by one command; output and exported totals."""
    short = ShortCourse(tmp_path_factory.mktemp("bad"))
    assert short.autograder("init", str(short.directory), cwd=short.kit).returncode == 0
    short.configure()
    short.nbgrader("generate_assignment", ASSIGNMENT)
    release = short.directory / "release" / ASSIGNMENT
    for kind in [*KINDS, *UNUSABLE]:
        folder = short.directory / "submitted" / kind / ASSIGNMENT
        folder.mkdir(parents=True)
        for name in ("softmax", "hand_computation"):
            (folder / f"{name}.ipynb").write_bytes((release / f"{name}.ipynb").read_bytes())
            fill_in(folder / f"{name}.ipynb", solution(name))
        path = folder / "softmax.ipynb"
        if kind in KINDS:
            change(path, KINDS[kind][0])
        elif UNUSABLE[kind] is None:
            change(path, loose_ends)
        else:
            path.write_bytes(UNUSABLE[kind])
    done = short.autograder("grade", ASSIGNMENT)
    rows = csv.DictReader(io.StringIO(short.export()))
    return short, done, {row["student_id"]: float(row["score"]) for row in rows}


@pytest.mark.parametrize("kind", KINDS)
def test_it_costs_what_is_touched_and_gains_nothing(graded, kind):
    assert graded[2][kind] == KINDS[kind][1]


@pytest.mark.parametrize("kind", UNUSABLE)
def test_what_cannot_be_used_is_left_for_a_person(graded, kind):
    short, done, totals = graded
    assert totals[kind] == WITHOUT_SOFTMAX
    said = next(line for line in done.stdout.splitlines() if line.startswith(kind))
    assert "softmax: needs a person" in said
    with short.gradebook() as gradebook:
        grade = gradebook.find_grade("check-softmax", "softmax", ASSIGNMENT, kind)
        assert grade.auto_score is None
        assert grade.needs_manual_grade
    page = short.directory / "autograded" / kind / ASSIGNMENT / "softmax.ipynb"
    assert "a person has to look at it" in json.dumps(json.loads(page.read_text()))


def test_the_command_says_that_a_person_is_needed(graded):
    assert graded[1].returncode == 1
    assert "Traceback" not in graded[1].stdout + graded[1].stderr


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["grade", "second"], "no assignment 'second'"),
        (["grade", ASSIGNMENT, "--student", "nobody"], "nobody handed in nothing"),
    ],
)
def test_bad_input_gets_one_sentence(graded, args, said):
    done = graded[0].autograder(*args)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_a_folder_that_is_no_course_directory(graded, tmp_path):
    done = graded[0].autograder("grade", ASSIGNMENT, cwd=tmp_path)
    assert done.returncode == 2
    assert "autograder nbgrader init" in done.stderr


def test_an_assignment_that_was_never_generated(tmp_path):
    short = ShortCourse(tmp_path)
    short.autograder("init", str(short.directory), cwd=short.kit)
    done = short.autograder("grade", ASSIGNMENT)
    assert done.returncode == 2
    assert f"nbgrader generate_assignment {ASSIGNMENT}" in done.stderr
