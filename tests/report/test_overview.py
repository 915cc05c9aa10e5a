"""The rows of a class lie in a file: what is read is what was put in, in any order."""

import gc
import warnings

from autograder.report import overview
from autograder.report.grades_table import write_grades
from autograder.report.overview import Row, RowFile


def row(number):
    return Row(
        student=f"s{number:03}", points={"one": float(number)}, statuses={"one": "graded"},
        total=float(number), maximum=9.0, status="graded", notes=("a, b", 'c "d"'), page="p",
        name="Ü", excused=frozenset({"two"}),
    )  # fmt: skip


def test_rows_come_back_in_any_order_also_from_disk(monkeypatch):
    monkeypatch.setattr(overview, "IN_MEMORY", 500)
    rows = RowFile()
    for number in range(50):
        rows.append(row(number))
        assert rows[number // 2] == row(number // 2)
    assert list(rows) == [row(number) for number in range(50)]
    assert rows[-1] == row(49) and rows[10:12] == [row(10), row(11)]
    assert len(rows) == 50 and not len(RowFile())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        del rows
        gc.collect()


def test_a_table_of_them_is_written_as_of_a_list(tmp_path):
    rows = RowFile()
    for number in range(3):
        rows.append(row(number))
    write_grades(tmp_path / "a.csv", ["one"], rows)
    write_grades(tmp_path / "b.csv", ["one"], [row(number) for number in range(3)])
    text = (tmp_path / "a.csv").read_text()
    assert text == (tmp_path / "b.csv").read_text()
    assert text.splitlines()[1] == 's000,Ü,0,0,9,graded,"a, b | c ""d"""'
