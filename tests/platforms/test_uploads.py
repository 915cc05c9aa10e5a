"""Blackboard's and Brightspace's gradebooks, and everybody's page: by their rules."""

import csv
import functools
import io
import re
import zipfile
from pathlib import Path

import msgspec
import pytest

from autograder.course.errors import UserError
from autograder.platforms import gradescope
from autograder.platforms.blackboard import BLACKBOARD_GRADEBOOK
from autograder.platforms.brightspace import BRIGHTSPACE_GRADEBOOK
from autograder.platforms.export import EXPORTS, pages
from autograder.platforms.gradebook import fill_in
from autograder.report.html import page_of
from autograder.report.model import Lateness
from tests.classroom.records import record, write
from tests.platforms.forms import GRADESCOPE, valid
from tests.platforms.records import exported
from tests.tables import formulas_in

BLACKBOARD = functools.partial(fill_in, BLACKBOARD_GRADEBOOK)
BRIGHTSPACE = functools.partial(fill_in, BRIGHTSPACE_GRADEBOOK)
GOLDEN = Path(__file__).parent / "golden"
TITLE = "Attention by hand and in NumPy"
LATE = Lateness(assignment="attention-1", due="x", points=1.0, said="=Late: 1 point.")
CLASS = (
    record("jmueller", 9.5, platform="blackboard", platform_id="jmueller", name="Jörg Müller"),
    record("s2", 12.0, name="Eve", email="EVE@example.org"),
    record("s3", 0.0, "missing", name="Bo Chen", enrolled=True),
    record("s4", 0.0, excused=True, name="Lea Late"),
    record("s5", 0.0, "by hand", name="Ann van der Berg"),
    msgspec.structs.replace(record("s6", 7.0, name="王 小明"), lateness=(LATE,)),
    record("gone", 5.0, name="Gone Away"),
)


@pytest.fixture
def template(tmp_path):
    def template(text, encoding="utf-8"):
        path = tmp_path / "template"
        path.write_bytes(text.encode(encoding))
        return path

    return template


def same(data, name):
    assert data.decode() == (GOLDEN / name).read_bytes().decode()


BOARD = "\t".join(
    (
        "Last Name",
        "First Name",
        "Username",
        "Student ID",
        "Last Access",
        "Availability",
        "Total [Total Pts: up to 22 Score] |1",
        "Essay [Total Pts: 10 Score] |2",
        f"{TITLE} [Total Pts: 12 Score] |3",
    )
)
BOARD += """
Müller\tJörg\tjmueller\t901\t2027-02-01\tYes\t1\t2\tNeeds Grading
=HYPERLINK(1)\tEve\teve\ts2\t2027-02-01\tYes\t1\t2\t
Chen\tBo\tbchen\t903\t\tYes\t1\t2\t4
Late\tLea\tllate\t904\t\tNo\t1\t2\t5
小明\t王\tw\t906\t\tYes\t1\t2\t
Student\tTest\tpreview\t\t\tYes\t1\t2\t
"""


def test_blackboard_takes_back_what_identifies_and_what_is_graded(course, template):
    path = template(BOARD, "utf-16")
    data, notes = exported(BLACKBOARD, CLASS, course, path)
    assert data.startswith(b"\xff\xfe")
    same(data.decode("utf-16").encode(), "blackboard.txt")
    assert notes == [
        f"Filled column {TITLE} [Total Pts: 12 Score] |3 with the points of {TITLE}.",
        "No row in the file, so not exported: s5 (Ann van der Berg), gone (Gone Away).",
        f"Not filled in column {TITLE} [Total Pts: 12 Score] |3: s3 (Bo Chen) (missing), "
        "s4 (Lea Late) (excused).",
        "Not filled in: Test Student (no result).",
    ]
    with pytest.raises(
        UserError,
        match=r"columns named '1'; expected one\. The file has: Essay \[Total",
    ):
        exported(BLACKBOARD, CLASS, course, path, "1")
    other = template(BOARD.replace("Pts: 12 ", "Pts: 1,200 "))
    with pytest.raises(UserError, match="maximum of 1200 points, and the results have 12"):
        exported(BLACKBOARD, CLASS, course, other)
    with pytest.raises(UserError, match="Username is missing. In Blackboard's gradebook"):
        exported(BLACKBOARD, CLASS, course, template("Name,Points\nx,1\n"))


SPACE = f"""\
OrgDefinedId,Username,Last Name,First Name,Email,Essay Points Grade <Numeric MaxPoints:10>,\
{TITLE} Points Grade <Numeric MaxPoints:12 Weight:5 Category:Homework>,Calculated Final Grade \
Numerator,End-of-Line Indicator
#901,#jm,Müller,Jörg,jm@example.org,1,,70,#
#902,#eve,=1+1,Eve,eve@example.org,1,3,70,#
#s3,#bo,Chen,B.,bo@example.org,1,4,70,#
#904,#ll,Late,Lea,ll@example.org,1,5,70,#
#905,#av,van der Berg,Ann,av@example.org,1,6,70,#
#907,#t,Student,Test,t@example.org,1,,70,#
"""


def test_brightspace_takes_back_keys_points_and_the_end_of_the_line(course, template):
    path = template(SPACE)
    data, notes = exported(BRIGHTSPACE, CLASS, course, path)
    same(data, "brightspace.csv")
    assert "s6 (王 小明)" in notes[1] and "gone (Gone Away)" in notes[1]
    rows = list(csv.reader(io.StringIO(data.decode())))
    assert rows[0][:2] == ["OrgDefinedId", "Username"] and rows[0][-1] == "End-of-Line Indicator"
    assert all(row[-1] == "#" and row[0].startswith("#") for row in rows[1:])
    assert exported(BRIGHTSPACE, CLASS, course, path, TITLE)[0] == data
    with pytest.raises(UserError, match="End-of-Line Indicator is missing. In Brightspace's"):
        exported(BRIGHTSPACE, CLASS, course, template("Username\nx\n"))


def test_pages_with_a_table_for_mails(tmp_path):
    results = write(tmp_path / "out", *CLASS)
    with pytest.raises(UserError, match="Run grade again"):
        exported(pages, CLASS, None, results=results)
    for report in CLASS:
        (results / page_of(report)).write_text(report.student)
    data, notes = exported(pages, CLASS, None, results=results)
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        names = file.namelist()
        table = file.read("mail-merge.csv")
        assert all(file.read(page_of(r)).decode() == r.student for r in CLASS)
    assert names == ["mail-merge.csv", *map(page_of, CLASS)]
    same(table, "mail-merge.csv")
    assert notes[0].startswith("No e-mail address is known for: jmueller (Jörg Müller), s3 (Bo")
    _, notes = exported(pages, CLASS[2:], None, results=results)
    assert notes == [
        "No e-mail address is known. To add them, grade with a roster that has a column `email`."
    ]


CANVAS_FILE = f"Student,ID,SIS User ID,SIS Login ID,Section,{TITLE} (12)\n"
CANVAS_FILE += 'Points Possible,,,,,12\n"Late, Lea",104,,ll,A,5\n'
MOODLE_FILE = "Identifier,Full name,Grade,Maximum Grade\nParticipant 4,Lea Late,5.00,12.00\n"


@pytest.mark.parametrize(
    ("platform", "text", "cell"),
    [
        ("canvas", CANVAS_FILE, "EX"),
        ("moodle", MOODLE_FILE, "5.00"),
        ("blackboard", BOARD, "5"),
        ("brightspace", SPACE, "5"),
    ],
)
def test_an_excused_student_is_never_exported_as_missing(course, template, platform, text, cell):
    """Neither as 0 nor as missing: as excused, or else the cell stays as it is."""
    absent = record("s4", 0.0, "missing", excused=True, name="Lea Late")
    data, notes = exported(EXPORTS[platform], [absent], course, template(text))
    (row,) = [line for line in data.decode().splitlines() if "Late" in line or "#904" in line]
    assert cell in re.split(r"[,\t]", row)
    assert not any("(missing)" in note for note in notes)
    if cell != "EX":
        assert any("s4 (Lea Late) (excused)" in note for note in notes)


def test_an_excused_student_is_excused_in_what_is_sent_to_students(course, tmp_path):
    absent = record("s4", 0.0, "missing", excused=True, name="Lea Late")
    results = write(tmp_path / "out", absent)
    (results / page_of(absent)).write_text("a page")
    data, _ = exported(pages, [absent], None, results=results)
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        table = file.read("mail-merge.csv").decode("utf-8-sig")
    assert table.splitlines()[1] == "s4,Lea Late,,,EX,12,excused,feedback/s4.html"
    found = valid(gradescope.results_of(absent, "practice"), GRADESCOPE)
    assert found["output"] == "Softmax: excused"
    assert [(test["output"], "score" in test) for test in found["tests"]] == [("excused", False)]


EVIL = "=cmd|' /C calc'!A0;=1+2;x"
IN_A_TABLE = {
    "canvas": f"Student,ID,SIS Login ID,Section,{TITLE} (12)\n{EVIL},1,{EVIL},{EVIL},\n",
    "moodle": f"Identifier,Full name,Grade,Maximum Grade,Online text\n"
    f'Participant 1,{EVIL},,12.00,"a\n{EVIL}"\n',
    "blackboard": f"Last Name,First Name,Username,{TITLE} [Total Pts: 12 Score] |1\n{EVIL},{EVIL},e,\n",
}


@pytest.mark.parametrize("platform", IN_A_TABLE)
def test_no_name_in_an_upload_is_a_formula(course, template, platform):
    file = template(IN_A_TABLE[platform])
    data, _ = exported(EXPORTS[platform], [record("e", 3.0, name=EVIL)], course, file)
    assert "calc" in data.decode() and formulas_in(data.decode()) == []


def test_no_name_in_a_table_for_mails_is_a_formula(tmp_path):
    reports = [record("x;=1+2;", 3.0, name="q;=1+3;.py", email=EVIL), record(EVIL, 1.0)]
    results = write(tmp_path / "out", *reports)
    for report in reports:
        (results / page_of(report)).write_text("")
    data, _ = exported(pages, reports, None, results=results)
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        text = file.read("mail-merge.csv").decode("utf-8-sig")
    assert "1+3" in text and formulas_in(text) == []
