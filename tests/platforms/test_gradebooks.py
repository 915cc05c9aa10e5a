"""Canvas' gradebook and Moodle's worksheet: their own files, with points and nothing else."""

import csv
import functools
import io
import zipfile
from pathlib import Path

import msgspec
import pytest

from autograder.classroom.grades import read_reports
from autograder.course.errors import UserError
from autograder.platforms import canvas, gradescope, moodle
from autograder.platforms.gradebook import fill_in
from autograder.report.model import Adjustment, CheckReport, Lateness
from tests.classroom.records import record, write
from tests.platforms.forms import GRADESCOPE, valid
from tests.platforms.records import exported

CANVAS = functools.partial(fill_in, canvas.CANVAS_GRADEBOOK)
GOLDEN = Path(__file__).parent / "golden"
TITLE = "Attention by hand and in NumPy"
GRADEBOOK = f"""\
Student,ID,SIS User ID,SIS Login ID,Section,Essay (11),{TITLE} (12),Current Score
,,,,,Manual Posting,,
    Points Possible,,,,,10,12,(read only)
"Müller, Jörg",101,,jm@example.org,"A, B",7,1,70
"=HYPERLINK(""http://x"")",102,s102,+cmd,A,8,,80
"Van der Berg, Ann",103,s103,ann,A,,3,
"Chen, Bo",104,,bo,A,,4,
"Late, Lea",105,,lea,A,,,
"Student, Test",199,,,A,,,
"""
CLASS = (
    record("müllerjörg_101", 9.5, platform="canvas", platform_id="101", name="müllerjörg"),
    record("m2", 12.0, platform="canvas", platform_id="102", name="Eve"),
    record("s103", 3.0, platform="gradescope", name="Somebody Else"),
    record("m4", 0.0, "missing", name="Bo Chen", enrolled=True),
    record("m5", 0.0, excused=True, ids={"canvas": "105"}),
    record("nobody_7", 5.0, platform="canvas", platform_id="7", name="nobody"),
)


@pytest.fixture
def template(tmp_path):
    def template(text):
        path = tmp_path / "template.csv"
        path.write_bytes(text.encode())
        return path

    return template


def same(data, name):
    assert data.decode() == (GOLDEN / name).read_bytes().decode()


def test_a_gradebook_of_canvas(course, template):
    data, notes = exported(CANVAS, CLASS, course, template(GRADEBOOK))
    same(data, "canvas.csv")
    assert notes == [
        f"Filled column {TITLE} (12) with the points of {TITLE}.",
        "No row in the file, so not exported: nobody_7.",
        f"Not filled in column {TITLE} (12): m4 (Bo Chen) (missing).",
        "Not filled in: Student, Test (no result).",
    ]


def test_canvas_reads_what_comes_out_as_its_own(course, template):
    """By the rules of its importer: heads, the row of maxima, numbers or EX, no row that is new."""
    data, _ = exported(CANVAS, CLASS, course, template(GRADEBOOK))
    rows = list(csv.reader(io.StringIO(data.decode())))
    before = list(csv.reader(io.StringIO(GRADEBOOK)))
    assert "Student" in rows[0][0] and "ID" in rows[0][1] and "Section" in rows[0][4]
    assert [row[1] for row in rows] == [row[1] for row in before]
    assert "Points Possible" in rows[2][0]
    for row in rows[3:]:
        assert row[5] in {"", "EX"} or 0 <= float(row[5]) <= float(rows[2][5])


def test_the_form_of_the_template_stays(course, template):
    text = "\ufeff" + GRADEBOOK.replace(",", ";").replace("\n", "\r\n")
    data, _ = exported(CANVAS, CLASS, course, template(text))
    assert data.startswith(b"\xef\xbb\xbfStudent;ID;") and b";9.5\r\n" in data


def test_another_maximum_is_never_passed_over(course, template):
    path = template(GRADEBOOK.replace(",10,12,", ",10,100,"))
    with pytest.raises(UserError, match="has a maximum of 100 points, and the results have 12"):
        exported(CANVAS, CLASS, course, path)
    data, _ = exported(CANVAS, CLASS, course, path, scale=True)
    assert b",79.17\n" in data


def test_which_column(course, template):
    for name in ("12", TITLE, f"{TITLE} (12)"):
        data, _ = exported(CANVAS, CLASS, course, template(GRADEBOOK), name)
        same(data, "canvas.csv")
    with pytest.raises(
        UserError,
        match=r"has 0 columns named 'Essay2'; expected one\. The file has: Essay \(11\)",
    ):
        exported(CANVAS, CLASS, course, template(GRADEBOOK), "Essay2")
    with pytest.raises(UserError, match="No column of .* has the title of an assignment"):
        exported(
            CANVAS,
            CLASS,
            course,
            template(GRADEBOOK.replace(TITLE, "HW1")),
            None,
            False,
        )
    twice = GRADEBOOK.replace("Essay (11)", f"{TITLE} (11)")
    with pytest.raises(UserError, match="several columns named"):
        exported(CANVAS, CLASS, course, template(twice))
    with pytest.raises(UserError, match="the column Section is missing. Export the gradebook"):
        exported(CANVAS, CLASS, course, template("ID,Student\n1,x\n"))


def test_a_column_for_each_exercise(course, template):
    """Exercises have columns where what they are part of has none, or one is named."""
    one = record("müllerjörg_101", 9.5, platform="canvas", platform_id="101")
    other = msgspec.structs.replace(
        one.exercises[0], name="qkv_projection", title="QKV", status="missing", points=0.0
    )
    late = Lateness(assignment="attention-1", due="", points=2.0, said="late")
    both = msgspec.structs.replace(
        one, exercises=(*one.exercises, other), points=7.5, max_points=24.0, lateness=(late,)
    )
    alone = GRADEBOOK.replace(TITLE, "Softmax")
    for text, name in ((alone, None), (alone, "12"), (alone.replace("Essay", TITLE), "Softmax")):
        data, notes = exported(CANVAS, [both], course, template(text), name)
        assert '"A, B",9.5\n' in data.decode()
        assert notes[0] == "Filled column Softmax (12) with the points of Softmax."
        assert "The file has no column for their late penalty: müllerjörg_101." in notes
    for points, is_said in ((2.0, True), (0.0, False)):  # who is excused from all has EX in each
        added = (Adjustment(points=points, said="said"),)
        report = msgspec.structs.replace(both, adjustments=added)
        _, notes = exported(CANVAS, [report], course, template(alone))
        assert any("for their adjusted total" in note for note in notes) is is_said
    several = alone.replace("Essay", "QKV").replace(",10,12,", ",12,12,")
    _, notes = exported(CANVAS, [both], course, template(several))
    assert "Not filled in column QKV (11): müllerjörg_101 (missing)." in notes
    with pytest.raises(UserError, match="for fewer exercises, grade only these"):
        exported(CANVAS, [both], course, template(GRADEBOOK), TITLE)


def test_two_who_fit_one_row_get_nothing(course, template):
    twins = (record("a", name="Bo Chen"), record("b", name="Chen, Bo"))
    data, notes = exported(CANVAS, twins, course, template(GRADEBOOK))
    assert '"Chen, Bo",104,,bo,A,4' in data.decode()
    assert any(note.startswith("Row 7 may belong to a (Bo Chen), b (Chen, Bo)") for note in notes)


def test_one_result_that_fits_two_rows_goes_into_neither(template):
    alone = [record("x", 5.0, name="Anna Muster")]
    data, notes = exported(moodle.worksheet, alone, None, template(WORKSHEET))
    assert data.decode() == WORKSHEET
    assert len([note for note in notes if note.startswith("Row ")]) == 2


WORKSHEET = """\
Identifier,Full name,Email address,Status,Grade,Maximum Grade,Grade can be changed,\
Last modified (submission),Last modified (grade),Feedback comments
Participant 2001,Jörg Müller,joerg@example.org,Submitted,,12.00,Yes,"Friday, 5 February",-,
Participant 2002,Ann van der Berg,ann@example.org,Submitted,5.00,12.00,Yes,-,-,"=1+1, please"
Participant 2003,Anna Muster,a@example.org,Submitted,,12.00,Yes,-,-,
Participant 2004,Anna Muster,b@example.org,Submitted,,12.00,Yes,-,-,
Participant 77,Someone Else,else@example.org,No submission,,12.00,Yes,-,-,
"""
MOODLE = (
    record(
        "Jörg Müller_2001",
        9.5,
        platform="moodle",
        platform_id="2001",
        name="Jörg Müller",
        entries=("Jörg Müller_2001_assignsubmission_file",),
    ),
    record("m2", 0.0, "needs a person", email="ANN@example.org", name="A. Berg"),
    record("Anna Muster", 3.0, name="Anna Muster"),
    record("m4", 4.25, ids={"moodle": "2004"}, name="A. M."),
    record(
        "Group A_77",
        8.0,
        platform="moodle",
        platform_id="77",
        name="Group A",
        entries=("Group A_77_assignsubmission_file",),
    ),
)


def test_a_worksheet_of_moodle(template):
    data, notes = exported(moodle.worksheet, MOODLE, None, template(WORKSHEET))
    same(data, "moodle.csv")
    assert notes == [
        "No row in the file, so not exported: Group A_77.",
        "Not filled in: m2 (A. Berg) (needs a person), Someone Else (no result).",
    ]


def test_its_heads_may_be_in_another_language(template):
    heads = (
        "ID,Vollständiger Name,E-Mail-Adresse,Status,Bewertung,Bestwertung,Bewertung kann geändert "
        "werden,Zuletzt geändert (Abgabe),Zuletzt geändert (Bewertung),Feedback als Kommentar\n"
    )
    body = WORKSHEET.split("\n", 2)[2] if "\\" in WORKSHEET else WORKSHEET.split("\n", 1)[1]
    body = body.replace("Participant ", "Teilnehmer/in").replace("12.00", '"12,00"')
    data, _ = exported(moodle.worksheet, MOODLE, None, template(heads + body))
    assert data.decode().startswith(heads)
    assert 'Submitted,"9,5","12,00",Yes' in data.decode()
    strange = heads.replace("Bewertung,Best", "Punkte,Best")
    with pytest.raises(UserError, match="name the column of the grade with --column"):
        exported(moodle.worksheet, MOODLE, None, template(strange + body))
    assert exported(moodle.worksheet, MOODLE, None, template(strange + body), "Punkte")[0]


def test_what_is_no_worksheet(template):
    with pytest.raises(UserError, match="is not a grading worksheet"):
        exported(moodle.worksheet, MOODLE, None, template(GRADEBOOK))
    with pytest.raises(UserError, match="maximum of 100 points"):
        exported(moodle.worksheet, MOODLE, None, template(WORKSHEET.replace("12.00", "100.00")))


def test_feedback_goes_to_its_own_student_and_to_no_team(tmp_path, template):
    results = write(tmp_path / "out", *MOODLE)
    from autograder.report.html import page_of

    for report in MOODLE:
        (results / page_of(report)).write_text(report.student)
    data, notes = exported(moodle.feedback, MOODLE, None, template(WORKSHEET), results=results)
    again, _ = exported(moodle.feedback, MOODLE, None, template(WORKSHEET), results=results)
    assert data == again
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        found = {name: file.read(name).decode() for name in file.namelist()}
    assert found == {
        "Jörg Müller_2001_assignsubmission_file/feedback.html": "Jörg Müller_2001",
        "Ann van der Berg_2002_assignsubmission_file/feedback.html": "m2",
        "Anna Muster_2003_assignsubmission_file/feedback.html": "Anna Muster",
        "Anna Muster_2004_assignsubmission_file/feedback.html": "m4",
    }
    assert notes == ["No row in the file, so not exported: Group A_77."]


def test_results_for_gradescope(course):
    late = Lateness(
        assignment="attention-1", due="x", said="Late by a day: 1.2 points.", points=1.2
    )
    changed = Adjustment(said="Softmax: +1 point", points=1.0)
    report = record("3001", 9.5, platform="gradescope", entries=("submission_1",))
    report = type(report)(
        **{
            **{f: getattr(report, f) for f in report.__struct_fields__},
            "lateness": (late,),
            "adjustments": (changed,),
        }
    )
    results = valid(gradescope.results_of(report, "practice"), GRADESCOPE)
    assert results["score"] == 9.5
    assert "Late by a day: 1.2 points.\nSoftmax: +1 point" in results["output"]
    data, notes = exported(gradescope.results_zip, [report, record("s1")], course)
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        assert file.namelist() == ["submission_1/results.json"]
    assert notes == ["No submission on Gradescope, so not exported: s1."]


def test_results_that_are_not_there(tmp_path):
    with pytest.raises(UserError, match="Give the folder that you named with --out"):
        read_reports(tmp_path)
    (tmp_path / "report.jsonl").write_text("{}\n")
    with pytest.raises(UserError, match="from another version"):
        read_reports(tmp_path)


def test_an_exam_on_gradescope_shows_no_hidden_check_before_it_is_published():
    checks = (
        CheckReport(name="a", title="A", points=2.0, max_points=4.0, outcome="passed"),
        CheckReport(
            name="b",
            title="B",
            points=1.5,
            max_points=8.0,
            outcome="failed",
            hidden=True,
            finding="x",
        ),
    )
    full = record("s1", 3.5)
    full = msgspec.structs.replace(
        full, exercises=(msgspec.structs.replace(full.exercises[0], checks=checks),)
    )
    first, rest = valid(gradescope.results_of(full, "exam"), GRADESCOPE)["tests"]
    assert (first["output"], first["visibility"]) == ("", "visible")
    assert rest["name"] == "Softmax: checks that are not shown"
    assert (rest["score"], rest["max_score"]) == (1.5, 8.0)
    assert rest["visibility"] == "after_published"
    _, hidden = gradescope.results_of(full, "homework")["tests"]
    assert hidden["output"].strip() == "<p>This check does not show its inputs.</p>"
    assert hidden["visibility"] == "visible"
