"""The table of a class, from its rows."""

from autograder.report.grades_table import write_grades
from autograder.report.overview import Row


def row(number):
    return Row(
        student=f"s{number:03}", points={"one": float(number)}, statuses={"one": "graded"},
        total=float(number), maximum=9.0, status="graded", notes=("a, b", 'c "d"'), page="p",
        name="Ü", excused=frozenset({"two"}),
    )  # fmt: skip


def test_a_table_has_a_line_per_row(tmp_path):
    write_grades(tmp_path / "grades.csv", ["one"], [row(number) for number in range(3)])
    head, first, *_ = (tmp_path / "grades.csv").read_text().splitlines()
    assert head == "student,name,one,total,maximum,status,notes"
    assert first == 's000,Ü,0,0,9,graded,"a, b | c ""d"""'
