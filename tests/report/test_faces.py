"""The faces of a report: terminal, page, table, schema; all of them safe."""

import csv
import json

import jsonschema
import msgspec
import numpy as np
import pytest

from autograder.course.course_file import Exercise
from autograder.course.text import file_name, printable
from autograder.report.grades_table import safe_cell, write_grades
from autograder.report.html import SCRIPT, class_page_content, exercise_html, page_of, write_page
from autograder.report.model import (
    CheckReport,
    Curve,
    Diagnosis,
    Evidence,
    ExerciseReport,
    Grader,
    Matrix,
    Report,
)
from autograder.report.overview import ClassOverview
from autograder.report.picture import save_picture
from autograder.report.redaction import for_student
from autograder.report.terminal import evidence_lines, exercise_lines, plain
from autograder.report.values import describe_call, excerpt

EVIL = '<script>alert("x")</script>'


def check(**changes):
    right, mine = np.eye(2), np.array([[1.0, 0.0004], [np.nan, 1.0]])
    wrong = mine != right
    fields = {
        "name": "test_a",
        "title": "Rows sum to 1",
        "points": 0.0,
        "max_points": 2.0,
        "outcome": "failed",
        "finding": f"Two cells differ. {EVIL}",
        "evidence": Evidence(
            call=f"f({EVIL})", what="it", yours=excerpt(mine, wrong), expected=excerpt(right, wrong)
        ),
        "hints": ("First?", "Second.", "Third."),
    }
    return CheckReport(**{**fields, **changes})


def make_report(*checks, student="s1", **changes):
    exercise = ExerciseReport(
        name="softmax",
        title="Softmax",
        status="graded",
        points=0.0,
        max_points=2.0,
        file="softmax.py",
        checks=checks or (check(),),
        printed=EVIL,
        **changes,
    )
    grader = Grader(version="1", python="3", numpy="2", digest="d", seed=0, confinement="none")
    return Report(
        student=student,
        course="Tiny",
        status="graded",
        points=0.0,
        max_points=2.0,
        grader=grader,
        exercises=(exercise,),
    )


def text_of(report):
    return "\n".join(plain(line) for line in exercise_lines(report.exercises[0]))


def test_the_terminal_shows_values_side_by_side_with_wrong_cells_marked():
    text = text_of(make_report())
    assert "0 of 2 points" in text
    assert "›0.0004‹" in text  # as many digits as it takes to see the difference
    assert "›   NaN‹" in text
    assert "Hint: First?" in text


def test_a_place_is_named_only_where_there_is_one():
    def titles(at, shape):
        matrix = Matrix(shape=shape, at=at, rows=((1.0, 2.0),), names=("head 0",))
        evidence = Evidence(yours=matrix, expected=matrix)
        return plain(next(evidence_lines(evidence)))

    assert " at" not in titles((), (1, 1, 2))
    assert "yours at [0]  shape" in titles((0,), (1, 1, 2))


def test_small_differences_single_numbers_and_long_rows():
    yours = excerpt(np.array([0.018, -1e9, 1.0]), np.array([True, True, False]))
    evidence = Evidence(yours=yours, expected=excerpt(np.array([1.0, 0.0, 1.0])))
    (row,) = [plain(line) for line in evidence_lines(evidence)][1:]
    assert row.endswith("−░░ −██  ··")
    one = Evidence(yours=excerpt(np.array(0.5)), expected=excerpt(np.array(2.0)))
    assert "shape" not in "".join(map(plain, evidence_lines(one)))
    some = excerpt(np.arange(20.0), np.arange(20) == 19)
    assert "(entries 12 to 19)" in "".join(map(plain, evidence_lines(Evidence(yours=some))))


def test_values_that_are_not_expected_ones_have_titles_of_their_own(grade_text):
    """Of an argument that was changed, the second is what it was before the call."""
    text = """
        import numpy as np

        def softmax(x, axis=-1):
            x = np.asarray(x, float)
            x -= x.max(axis, keepdims=True)
            return np.exp(x) / np.exp(x).sum(axis, keepdims=True)
    """
    checks = grade_text("softmax", text).checks
    changed = next(c for c in checks if c.cause and c.cause.code == "argument_changed")
    report = make_report(changed).exercises[0]
    terminal = "\n".join(plain(line) for line in exercise_lines(report))
    spoken = "\n".join(plain(line) for line in exercise_lines(report, spoken=True))
    for text in (terminal, spoken, exercise_html(report)):
        assert "x after the call" in text.lower() and "before it" in text.lower()
    assert "yours" not in (terminal + spoken).lower() and "expected" not in terminal + spoken


def test_practice_homework_exam():
    hidden = check(name="test_b", hidden=True, finding="secret", title="Hidden one")
    report = make_report(check(), hidden, reason="secret")
    practice = for_student(report, "practice", 2).exercises[0]
    assert practice.checks[0].hints == ("First?", "Second.")
    assert practice.checks[1].finding == "" and practice.checks[1].evidence is None
    assert practice.reason == ""
    homework = for_student(report, "homework", {"test_a": 1}).exercises[0]
    assert homework.checks[0].hints == ("First?",)
    exam = for_student(report, "exam", 3)
    assert [c.name for c in exam.exercises[0].checks] == ["test_a"]
    seen = msgspec.json.encode(exam).decode()
    for secret in ("secret", "First?", "Two cells differ", "0.0004", EVIL):
        assert secret not in seen


def test_pages_escape_everything(tmp_path):
    report = make_report(student=EVIL)
    exercises = (Exercise(name="softmax", title=EVIL, points=2),)
    page = page_of(report)
    (tmp_path / page).parent.mkdir()
    write_page(tmp_path / page, "student.html", report=report)
    overview = ClassOverview(EVIL, exercises)
    overview.notes = (EVIL,)
    overview.add(report, page)
    write_page(tmp_path / "index.html", "index.html", **class_page_content(overview))
    for path in (tmp_path / page, tmp_path / "index.html"):
        text = path.read_text().replace(f"<script>{SCRIPT}</script>", "")  # our own
        assert "<script" not in text
        assert "http" not in text.replace("http-equiv", "")  # nothing is fetched
    assert (tmp_path / page).resolve().is_relative_to(tmp_path / "feedback")


def test_the_table_is_safe_and_never_says_a_bare_0_for_what_was_not_graded(tmp_path):
    exercises = (Exercise(name="softmax", title="S", points=2),)
    overview = ClassOverview("Tiny", exercises)
    for student, status in (("=1+1", "missing"), ("@a", "needs a person"), ("b", "graded")):
        report = make_report(student=student)
        exercise = msgspec.structs.replace(report.exercises[0], status=status, reason="Because.")
        overview.add(
            msgspec.structs.replace(report, status=status, exercises=(exercise,)), "page.html"
        )
    write_grades(tmp_path / "grades.csv", ["softmax"], overview.rows)
    with (tmp_path / "grades.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["student"] for row in rows] == ["'=1+1", "'@a", "b"]
    assert [row["softmax"] for row in rows] == ["", "", "0"]
    assert [row["status"] for row in rows] == ["missing", "needs a person", "graded"]
    assert "Because." in rows[1]["notes"]


@pytest.mark.parametrize("text", ["=a", "+a", "-a", "@a", "\ta", "\ra"])
def test_formulas(text):
    assert safe_cell(text) == f"'{text}"


def test_a_report_fits_the_published_schema():
    schema = msgspec.json.schema(Report)
    jsonschema.Draft202012Validator.check_schema(schema)
    data = json.loads(msgspec.json.encode(make_report()))
    jsonschema.validate(data, schema)
    assert msgspec.json.decode(msgspec.json.encode(make_report()), type=Report) == make_report()


def test_a_picture(tmp_path):
    assert "Picture:" in save_picture(make_report().exercises[0], tmp_path / "p.png")
    assert (tmp_path / "p.png").read_bytes().startswith(b"\x89PNG")
    passed = make_report(check(outcome="passed", evidence=None)).exercises[0]
    assert "nothing to draw" in save_picture(passed, tmp_path / "q.png")


def test_text_from_submissions_is_made_printable():
    assert printable("a\x1b[31mb\x07\u202e\ud800") == r"a\x1b[31mb\x07\u202e\ud800"
    assert printable("<f at 0x7f3a12345678>") == "<f at 0x…>"
    assert printable("x" * 5000).endswith("x …")
    assert len(printable("x" * 5000)) == 2002


def test_file_names_are_safe_and_different():
    names = ["s1", "S1", "../../etc/passwd", "a b", "a_b", "", ".", "con", "é", "x" * 300, "-rf"]
    made = [file_name(name) for name in names]
    assert len({name.lower() for name in made}) == len(names)
    assert made[0] == "s1"
    for name in made:
        assert name and "/" not in name and not name.startswith((".", "-")) and len(name) <= 100


def test_large_arrays_are_shown_around_the_first_wrong_cell():
    array = np.zeros((2, 3, 20, 30))
    wrong = np.zeros(array.shape, bool)
    wrong[1, 2, 15, 29] = True
    matrix = excerpt(array, wrong)
    assert (matrix.at, matrix.top, matrix.left) == ((1, 2), 12, 22)
    assert matrix.wrong[3][7]
    assert len(matrix.rows) == len(matrix.rows[0]) == 8


def test_calls_are_described_as_a_student_would_write_them():
    shown = "f(np.array([[1., 0.], [0., 1.]]), 3, axis=-1)"
    assert describe_call("f", (np.eye(2), 3), {"axis": -1}) == shown
    assert describe_call("f", (np.zeros((3, 4, 5)),), {}) == "f(<array of shape (3, 4, 5)>)"


def test_the_published_schema_is_in_step(root):
    published = json.loads((root / "docs" / "report.schema.json").read_text())
    now = json.loads(json.dumps(msgspec.json.schema(Report)))
    assert published == now, "autograder schema report > docs/report.schema.json"


SAID = f"It is not scaled. {EVIL}"
NAMED = Diagnosis(
    kind="named", finding=SAID, misconceptions=("no-scaling",), function="f", told=SAID
)


def test_the_finding_stands_first_in_one_line_and_is_not_repeated():
    text = text_of(make_report(check(diagnosis=NAMED), check(name="test_b", diagnosis=NAMED)))
    assert text.startswith("f: It is not scaled.")
    assert text.count("It is not scaled.") == 1


def test_in_an_exam_nothing_of_a_diagnosis_leaves_the_grader():
    report = make_report(check(diagnosis=NAMED), check(name="test_b", hidden=True, diagnosis=NAMED))
    shown = for_student(report, "exam", 9)
    assert b"scaled" not in msgspec.json.encode(shown)
    assert len(shown.exercises[0].checks) == 1


def test_of_a_hidden_check_the_mistake_is_named_without_inputs_and_values():
    located = msgspec.structs.replace(NAMED, kind="located", finding="At [0]: 0.123")
    report = make_report(
        check(hidden=True, diagnosis=NAMED), check(name="test_b", hidden=True, diagnosis=located)
    )
    first, second = for_student(report, "practice", 1).exercises[0].checks
    assert first.diagnosis == NAMED and first.evidence is None and first.finding == ""
    assert first.hints == ("First?",)
    assert second.diagnosis is None and second.hints == ()


def test_differences_are_shown_as_blocks_and_signs():
    text = text_of(make_report())
    assert "difference" in text
    assert "+" in text and "█" in text


def band():
    curve = Curve(
        name=f"entropy {EVIL}",
        against="dimension",
        x=(4.0, 16.0),
        yours=(1.0, "nan"),
        low=(1.5, 1.0),
        high=(2.0, 2.0),
    )
    return check(evidence=Evidence(call="f()", curves=(curve,)))


def test_curves_are_shown_over_their_band(tmp_path):
    assert "› dimension    4: yours        1   fair 1.500 to 2" in text_of(make_report(band()))
    report = make_report(band())
    write_page(tmp_path / "page.html", "student.html", report=report)
    page = (tmp_path / "page.html").read_text()
    assert 'role="img" aria-label="entropy' in page
    assert EVIL not in page
    assert "1 of 1 values lie outside the band" in page


def test_groups_are_letters_as_well_as_colours(tmp_path):
    side = msgspec.structs.replace(
        excerpt(np.eye(2), np.eye(2) > 0), groups=((0, 1), (0, 1)), names=("head 0", "head 1")
    )
    report = make_report(check(evidence=Evidence(yours=side, expected=side, groups="head")))
    assert "head 0 ›1A‹ 0B" in text_of(report)
    write_page(tmp_path / "page.html", "student.html", report=report)
    page = (tmp_path / "page.html").read_text()
    assert '<td class="g0 wrong"><b>≠ </b>1<sub>A</sub></td>' in page


def test_the_class_page_counts_mistakes_by_name_and_escapes_them(tmp_path):
    exercises = (Exercise(name="softmax", title="Softmax", points=2),)
    overview = ClassOverview("Tiny", exercises)
    for student in ("s1", "s2"):
        failed = check(diagnosis=NAMED), check(name="test_b", diagnosis=NAMED)
        overview.add(make_report(*failed, student=student), f"{student}.html")
    (made,) = overview.mistakes.commonest()
    assert made.students == 2
    assert made.finding.startswith("It is not scaled.") and made.functions == ["f"]
    write_page(tmp_path / "index.html", "index.html", **class_page_content(overview))
    page = (tmp_path / "index.html").read_text()
    assert "It is not scaled." in page and "<code>f</code>" in page
    assert EVIL not in page
