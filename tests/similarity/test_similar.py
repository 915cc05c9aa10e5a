"""Whose code is alike: what is found, what is taken out, and what a page shows of it."""

import json
import os
import re
import subprocess
import sys

import numpy as np
import pytest
from click.testing import CliRunner

from autograder.classroom.hand_ins import Folder
from autograder.cli import app
from autograder.course import installation
from autograder.report.model import HandIn
from autograder.similarity.pages import pieces
from autograder.similarity.pairs import (
    LEAST,
    common_spans,
    compare_exercise,
    fingerprints_of,
    pairwise_similarity,
)
from autograder.similarity.submitted_code import (
    handed_in_together,
    known_fingerprints,
    normalized,
    right_answers,
)
from tests.conftest import ROOT
from tests.report.test_faces import EVIL

ONE = """\
import numpy as np


def softmax(x, axis=-1):
    values = np.asarray(x, dtype=float)
    highest = np.maximum.reduce(values, axis=axis, keepdims=True)
    raised = np.power(np.e, np.subtract(values, highest))
    return np.divide(raised, np.add.reduce(raised, axis=axis, keepdims=True))
"""
RENAMED = re.sub(r"\b(values|highest|raised)\b", lambda m: m[0][::-1], ONE).replace(
    "    ets", "    # mine alone\n    ets"
)
OTHER = """\
import numpy as np


def softmax(x, axis=-1):
    table = np.moveaxis(np.array(x, float), axis, 0)
    for place in np.ndindex(table.shape[1:]):
        column = table[(slice(None), *place)]
        shifted = [float(np.exp(each - max(column))) for each in column]
        table[(slice(None), *place)] = [each / sum(shifted) for each in shifted]
    return np.moveaxis(table, 0, axis)
"""


@pytest.fixture(scope="module")
def known(course):
    return known_fingerprints(course)


def own(text, known):
    return np.setdiff1d(fingerprints_of(normalized(text)), known)


def in_class(known, right=(), together=frozenset(), **texts):
    work = {student: own(text, known) for student, text in texts.items()}
    return compare_exercise(("softmax", "Softmax"), work, [own(t, known) for t in right], together)


def test_other_names_and_comments_hide_nothing(known):
    found = in_class(known, ann=ONE, bob=RENAMED, eve=OTHER)
    assert [pair.students for pair in found.pairs] == [("ann", "bob")]
    assert found.pairs[0].part > 0.95
    assert found.everybody.median < 0.2


def test_what_is_handed_out_or_published_is_nobodys(root, known):
    solution = (root / "solutions" / "softmax.py").read_text()
    stub = (root / "exercises" / "softmax.py").read_text()
    found = in_class(known, ann=solution, bob=solution, eve=stub)
    assert (found.compared, found.too_short, found.pairs) == (0, 3, ())


@pytest.mark.thorough
def test_of_the_courses_right_answers_only_those_that_share_tests_are_alike(course, known):
    """The base rate of the documents; find_the_bug's answers share the tests that they bring."""
    highest = {
        name: in_class(known, right=right_answers(course, name)).right.highest
        for name in course.exercises
    }
    assert 0.5 < highest.pop("find_the_bug") < 0.8
    assert max(highest.values()) < 0.3


def test_a_pair_stands_out_above_what_unrelated_right_answers_share(known):
    assert in_class(known, right=[ONE, RENAMED], ann=ONE, bob=RENAMED).pairs == ()


def test_where_all_are_alike_nobody_stands_out(known):
    texts = {f"s{number}": ONE for number in range(5)}
    found = in_class(known, **texts)
    assert (found.pairs, found.everybody.median) == ((), 1.0)


def test_three_are_a_group_and_who_handed_in_together_is_no_pair(known):
    texts = {
        "ann": ONE,
        "bob": RENAMED,
        "cyd": ONE,
        "dan": OTHER,
        "eve": OTHER.replace("sum", "min"),
    }
    texts |= {f"s{number}": f"{number} * " * 60 + "x\n" + "y = -~" * number for number in range(9)}
    found = in_class(known, **texts)
    assert ("ann", "bob", "cyd") in found.clusters
    pair = frozenset({frozenset({"ann", "bob"})})
    assert ("ann", "bob") not in [p.students for p in in_class(known, together=pair, **texts).pairs]


def test_a_group_of_a_platform_is_in_the_same_entries():
    both = HandIn(entries=("Group_1.zip",))
    folders = [Folder("a", None, both), Folder("b", None, both), Folder("c", None, HandIn())]
    assert handed_in_together(folders) == {frozenset({"a", "b"})}


def test_the_table_of_likeness_is_that_of_the_sets():
    rng = np.random.default_rng(0)
    prints = [np.unique(rng.integers(0, 60_000, rng.integers(60, 9000))) for _ in range(6)]
    part, shared = pairwise_similarity(prints)
    for a, one in enumerate(prints):
        for b, other in enumerate(prints):
            both = len(set(one.tolist()) & set(other.tolist()))
            assert shared[a, b] == both
            assert part[a, b] == both / min(len(one), len(other))


def test_marks_lie_where_the_code_is_alike(known):
    one = normalized(f"class AVeryLongNameIndeed:\n    pass\n\n\n{OTHER}\n\n{ONE}")
    other = normalized(f"\n\n{RENAMED}")
    here, there = common_spans(one, other, known)
    said = "".join(one[start:end] for start, end in here)
    assert "np.maximum.reduce(values" in said
    assert "shifted" not in said
    assert "np.add.reduce(desiar" in "".join(other[start:end] for start, end in there)
    assert "".join(text for text, _ in pieces(one, here)) == one


@pytest.fixture
def submissions(tmp_path):
    """Two alike, one of them in a notebook; one of its own; one hostile."""
    notebook = {
        "nbformat": 4,
        "nbformat_minor": 5,
        "metadata": {},
        "cells": [
            {"cell_type": "markdown", "metadata": {}, "source": "# words", "id": "a"},
            {"cell_type": "code", "metadata": {}, "source": RENAMED, "outputs": [], "id": "b"},
        ],
    }
    files = {
        "ann/softmax.py": ONE,
        "bob/softmax.ipynb": json.dumps(notebook),
        "cyd/softmax.py": OTHER,
        "dan/softmax.py": OTHER.replace("table", "grid")
        + f"# {EVIL} </pre> \x1b[31m\n"
        + "x=1\n" * 250_000,
        "<b>eve/softmax.py": "def softmax(x:\n",
    }
    for name, text in files.items():
        path = tmp_path / "class" / name
        path.parent.mkdir(parents=True)
        path.write_text(text)
    return tmp_path / "class"


def similar(submissions, out, **environment):
    command = ["similar", str(submissions), "--out", str(out), "--exercise", "softmax"]
    command += ["--course", str(ROOT)]
    if not environment:
        return CliRunner().invoke(app, command)
    command = [sys.executable, "-m", "autograder", *command]
    return subprocess.run(
        command, env={**os.environ, **environment}, capture_output=True, text=True
    )


def test_pages_show_pairs_side_by_side_and_nothing_of_a_students_runs(submissions, tmp_path):
    (tmp_path / "out" / "pairs").mkdir(parents=True)
    (tmp_path / "out" / "pairs" / "0999.html").write_text("of an earlier run")
    done = similar(submissions, tmp_path / "out")
    assert done.exit_code == 0, done.output
    assert not (tmp_path / "out" / "pairs" / "0999.html").exists()
    assert "no proof" in done.output
    page = (tmp_path / "out" / "similar.html").read_text()
    assert 'href="pairs/0001.html">ann and bob</a>' in page
    assert "proves nothing" in page
    sides = [path.read_text() for path in sorted((tmp_path / "out" / "pairs").iterdir())]
    assert "<mark>" in sides[0]
    assert "np.power" in sides[0]
    assert "# words" not in sides[0]
    assert not any(EVIL in text or "\x1b" in text or "<b>eve" in text for text in [page, *sides])
    assert "script-src" not in page
    assert all(len(text) < 300_000 for text in sides)


@pytest.mark.thorough
def test_the_same_class_gives_the_same_bytes_in_any_process(submissions, tmp_path):
    """Python's own hashes, of which the library makes fingerprints, are others in each."""
    similar(submissions, tmp_path / "here")
    done = similar(submissions, tmp_path / "there", PYTHONHASHSEED="12345")
    assert done.returncode == 0, done.stderr
    here, there = (
        {
            path.relative_to(tmp_path / name): path.read_bytes()
            for path in (tmp_path / name).rglob("*.html")
        }
        for name in ("here", "there")
    )
    assert here == there
    assert len(here) > 1


def test_without_the_library_it_says_what_to_install(submissions, tmp_path, monkeypatch):
    monkeypatch.setitem(installation.MODULES, "similar", ("no_such_library",))
    done = similar(submissions, tmp_path / "out")
    assert "[similar]" in str(done.exception)
    assert not (tmp_path / "out").exists()


def test_what_is_short_is_not_compared(known):
    assert len(own("def softmax(x): return x\n", known)) < LEAST
    assert in_class(known, ann="def softmax(x): return x\n", bob=ONE).too_short == 1
