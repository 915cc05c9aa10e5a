"""Tables with texts of students: no spreadsheet takes a part of one for a formula."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.report.grades_table import plain_cell, safe_cell, table_lines, write_table
from tests.engine import ENGINE
from tests.tables import formulas_in

PIECE = st.sampled_from(list("=+-@＝＋－＠,;\t\r\n'\" |1.5a")) | st.sampled_from(
    ["=1+3", "=cmd|' /C x'!A0"]
)
CELL = st.lists(PIECE, max_size=8).map("".join) | st.text(max_size=6)
ROWS = st.lists(st.lists(CELL, min_size=1, max_size=4), min_size=1, max_size=3)
DELIMITERS = st.sampled_from(",;\t|")


@given(ROWS, DELIMITERS)
def test_no_reading_of_a_table_has_a_formula(rows, delimiter):
    text = "".join(table_lines(rows, delimiter))
    assert formulas_in(text) == []


@given(ROWS, DELIMITERS)
def test_a_table_is_read_back_as_it_was(rows, delimiter):
    text = "".join(table_lines([map(safe_cell, row) for row in rows], delimiter))
    read = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    assert [[*map(plain_cell, row)] for row in read] == [row if row != [""] else [] for row in rows]


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("q;=1+3;.py", "q;'=1+3;.py"),
        ("x;=1+2;", "x;'=1+2;"),
        ('a,"=1+1"', 'a,\'"=1+1"'),
        ("a\n=1+1", "a\n'=1+1"),
        (" =1+1", "' =1+1"),
        ("-2+3+cmd|' /C calc'!A0", "'-2+3+cmd|' /C calc'!A0"),
    ],
)
def test_formulas_inside_a_cell(tmp_path, text, cell):
    write_table(tmp_path / "t.csv", ["head"], [[text]])
    doubled = cell.replace('"', '""')
    quoted = f'"{doubled}"' if set(cell) & set(',;\n"') else cell
    assert (tmp_path / "t.csv").read_text() == f"head\n{quoted}\n"
    assert plain_cell(cell) == text


def test_numbers_and_plain_texts_stay():
    row = ["anna", "-", "-1", "+2.5", "-1,5", "−3 points", "a-b", "a@b.edu", "it's", "x = 1"]
    line = 'anna,-,-1,+2.5,"-1,5",−3 points,a-b,a@b.edu,it\'s,x = 1\n'
    assert list(table_lines([row])) == [line]


def test_all_tables_have_one_writer():
    texts = {path.name: path.read_text(encoding="utf-8") for path in ENGINE.rglob("*.py")}
    assert [
        name for name, text in texts.items() if "csv.writer" in text or "DictWriter" in text
    ] == []
