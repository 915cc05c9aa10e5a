"""What the cell that checks a notebook shows: progress, what passed in one line, hints in steps."""

import re

import pytest

from autograder.course.errors import UserError
from autograder.student.notebook import CannotCheck, points_value
from autograder.student.notebook_cell import answer_of, with_answers
from autograder.student.progress import read_progress
from autograder.submission.source import Source
from tests.student.course import RIGHT, WRONG, make_course

HALF = "def sort(x):\n    return sorted(x) if len(x) != 3 else x\n"  # of three checks, two pass


@pytest.fixture
def ask(tmp_path, monkeypatch):
    folder = make_course(tmp_path) / "exercises"
    monkeypatch.chdir(folder)

    def ask(*cells, exercise="sorting", hint=False, folder=folder):
        saved = folder / f"{exercise}.ipynb"
        asked = {"exercise": exercise, "cells": cells, "folder": str(folder)}
        return answer_of({**asked, "hint": hint, "saved": str(saved)})

    return ask


def words(html):
    """What is left to read where styles, scripts and all markup are taken out."""
    html = re.sub(r"(?s)<(style|script)\b.*?</\1>", "", html)
    return " ".join(re.sub(r"<[^>]+>", " ", html).split())


def test_what_passed_is_folded_and_all_can_be_read_without_styles(ask):
    answer = ask(HALF)
    assert "<summary" in answer["html"] and "2 checks pass" in words(answer["html"])
    assert "✓ 2 checks pass" in answer["text"]
    assert "Sorts nothing" not in answer["text"]
    assert "The order is not right." in answer["text"]
    assert answer["points"] == 4
    said = words(answer["html"])  # without styles
    assert "“Sorts” fails. The order is not right." in said
    assert "color" not in said and "{" not in said
    style = re.search(r"(?s)<style>.*?</style>", answer["html"])[0]
    for page in ('[data-jp-theme-light="false"] &', ".vscode-dark &", '[theme="dark"] &'):
        assert page in style, "the page's theme comes before the system's"


@pytest.mark.thorough
def test_a_syntax_error_that_has_been_corrected_is_not_repeated(ask):
    broken, said = "def sort(x)\n    return x", "is not valid Python"
    assert said in ask(broken, "%autograder")["text"]
    assert said in ask(RIGHT, broken, "%autograder", "%autograder")["text"]
    later = ask(broken, "%autograder", RIGHT, "%autograder")
    assert said not in later["text"] and later["points"] == 10
    assert ask("print(sort([2, 1])", "%autograder", RIGHT, "%autograder")["points"] == 10


def test_it_says_what_has_changed_and_how_the_course_stands(ask):
    assert "more check" not in ask(WRONG)["text"]
    gained = ask(HALF)
    assert gained["text"].startswith("1 more check passes.")
    assert "0 of 2 exercises done, 4 of 14 points so far" in gained["text"]
    done = ask(RIGHT)
    for said in (done["text"], words(done["html"])):
        assert "1 more check passes." in said
        assert "1 of 2 exercises done, 10 of 14 points so far" in said
        assert "Next: The largest (largest), not begun" in said


def test_hints_come_one_at_a_time_and_are_kept_over_runs(ask):
    def hints(answer):
        return [hint for hint in ("Look at", "Compare", "Swap") if hint in answer["text"]]

    assert hints(ask(WRONG)) == ["Look at"]
    assert hints(ask(WRONG)) == ["Look at"]
    assert hints(ask(WRONG + "\n# again")) == ["Look at", "Compare"]
    third = ask(WRONG + "\n# again", hint=True)
    assert hints(third) == ["Look at", "Compare", "Swap"] and "the last hint" not in third["text"]
    after = ask(WRONG + "\n# again", hint=True)
    assert all("That was the last hint. You can also" in after[face] for face in ("text", "html"))


def test_outside_a_course_a_sentence_says_what_to_do(ask, tmp_path_factory, monkeypatch):
    monkeypatch.delenv("AUTOGRADER_COURSE", raising=False)
    nowhere = tmp_path_factory.mktemp("content")
    said = ask(WRONG, folder=nowhere)["error"]
    assert said.startswith(f"There is no course.yml in {nowhere}")
    assert "%cd FOLDER" in said and "AUTOGRADER_COURSE" in said


def test_answers_in_words_are_read_from_the_saved_notebook(course, tmp_path):
    """The running kernel does not know them."""
    reflection, source = course.exercise("reflection"), Source("reflection", "x", ())
    with pytest.raises(UserError, match=r"has no mine.ipynb.*Save the notebook there"):
        with_answers(source, reflection, tmp_path / "mine.ipynb")
    saved = course.handed_out / "reflection.ipynb"
    found = with_answers(source, reflection, saved).answers
    assert set(found) == {question.name for question in reflection.questions}
    assert with_answers(source, course.exercise("softmax"), tmp_path / "none") is source


def test_an_error_shows_as_one_sentence():
    assert CannotCheck("There is none.")._render_traceback_() == ["There is none."]


def test_what_cannot_be_kept_is_shown_all_the_same(ask, tmp_path):
    (tmp_path / "exercises" / ".autograder").write_text("in its place")
    assert "1 of 2 exercises done" in ask(RIGHT)["text"]
    assert read_progress(tmp_path / "exercises" / "sorting.ipynb", "sorting") is None


def test_the_points_are_shown_once_but_to_nbgrader(monkeypatch):
    from IPython.core.interactiveshell import InteractiveShell

    shell = InteractiveShell()
    monkeypatch.delenv("NBGRADER_EXECUTION", raising=False)
    points = points_value(2.5)
    assert points == 2.5 and shell.display_formatter.format(points)[0] == {}
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    assert shell.display_formatter.format(points_value(2.5))[0] == {"text/plain": "2.5"}
