"""Answers in words: read from text cells, whatever else is in the file; never run."""

import json

import pytest

from autograder.submission.source import MAX_ANSWER, read_source

SCRIPT = """# %% [markdown]
# # Title
# not an answer

# %% [markdown] answer="first"
# Two lines
# of an **answer**.
#
# And a third.

# %%
x = 1  # %% [markdown] answer="no"

# %% [markdown] answer="second"
# Short.
"""


@pytest.fixture
def read(tmp_path):
    def write(text, suffix=".py"):
        path = tmp_path / f"reflection{suffix}"
        path.write_text(text)
        return read_source(path, "reflection")

    return write


def notebook(*cells):
    whole = [{"cell_type": kind, "metadata": meta, "source": text} for kind, meta, text in cells]
    return json.dumps({"cells": whole, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


def test_answers_of_a_script_are_its_comments(read):
    answers = read(SCRIPT).answers
    assert answers == {"first": "Two lines\nof an **answer**.\n\nAnd a third.", "second": "Short."}


def test_answers_of_a_notebook_are_its_text_cells(read):
    text = notebook(
        ("markdown", {}, "not an answer"),
        ("markdown", {"answer": "first"}, ["One ", "answer."]),
        ("code", {"answer": "second"}, "x = 1"),
        ("markdown", {"answer": ["odd"]}, "no name"),
        ("markdown", {"answer": "first"}, "a second one of that name"),
    )
    assert read(text, ".ipynb").answers == {"first": "One answer."}


def test_a_huge_answer_is_cut(read):
    text = notebook(("markdown", {"answer": "first"}, "a" * 10 * MAX_ANSWER))
    assert len(read(text, ".ipynb").answers["first"]) == MAX_ANSWER


def test_another_answer_is_another_submission(read):
    assert read(SCRIPT).digest != read(SCRIPT.replace("Short", "Long")).digest
