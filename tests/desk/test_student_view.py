"""One student: the code with its findings, the checks, what became of the grade."""

import html
import re

import msgspec
import pytest

from autograder.desk.submissions import code_of
from autograder.report.model import Diagnosis, ExerciseReport, Line, Repair
from autograder.submission.source import from_text
from tests.desk.conftest import client_of, let_in, text_of
from tests.desk.generated import drawn_class, sample, with_submissions, write
from tests.report.test_faces import check


@pytest.fixture(scope="module")
def reports():
    return drawn_class(40)


def test_all_that_the_record_has_is_there(desk, reports):
    report = next(r for r in reports if any(c.hints for e in r.exercises for c in e.checks))
    page = text_of(desk.get(f"/students/{report.student}"))
    assert f"{report.points:g} of {report.max_points:g} points" in page
    assert report.hand_in.name in page and report.hand_in.section in page
    for exercise in report.exercises:
        assert exercise.title.split(" ")[0] in page
        for each in exercise.checks:
            words = [w for w in each.title.split() if w.isalpha()]
            assert all(word in page for word in words)


def test_the_code_is_there_with_findings_beside_their_lines(sample_desk):
    report = next(each for each in sample() if each.student == "s08")
    places = [c.place for e in report.exercises for c in e.checks if c.place]
    assert places
    answer = sample_desk.get("/students/s08")
    noted = [html.unescape(t) for t in re.findall(r'<tr class="noted">.*?</tr>', answer.text, re.S)]
    for place in places:
        assert any(place.text in text and 'class="note"' in text for text in noted)
    assert "has changed since it was graded" not in answer.text


def test_neighbours_are_those_of_the_choice(desk):
    first = desk.get("/?sort=total&down=1&section=Monday").text
    order = re.findall(r'class="who"><a href="(/students/[^"]*)"', first)
    middle = desk.get(order[1].replace("&amp;", "&")).text
    assert f'rel="prev" data-key="p" href="{order[0]}"' in middle
    assert f'rel="next" data-key="n" href="{order[2]}"' in middle
    assert f"2 of {len(order)} chosen" in re.sub(r"<[^>]+>", "", middle)


def test_nobody_of_that_name(desk):
    for key in ("nobody", "..%2f..%2fetc", "u0001%00", "x" * 3000):
        assert desk.get(f"/students/{key}").status_code == 404


def test_without_the_submissions_the_rest_is_there(tmp_path, course):
    client = let_in(client_of(write(tmp_path, drawn_class(3)), course))
    answer = client.get("/students/u0000")
    assert answer.status_code == 200
    assert "The code is no longer in the folder" in answer.text


def test_code_that_has_changed_is_said_to_have(tmp_path, course, root):
    results = with_submissions(tmp_path, 3, root)
    mine = sorted((tmp_path / "submissions" / "u0000").glob("*.py"))[0]
    mine.write_text(mine.read_text() + "\n# later\n")
    page = let_in(client_of(results, course)).get("/students/u0000").text
    assert page.count("has changed since it was graded") == 1


def test_each_line_has_what_is_said_of_it_once():
    place = Line(file="f.py", line=2, text="b")
    report = ExerciseReport(
        name="f", title="F", status="graded", points=0, max_points=2, digest="d",
        checks=(check(name="a", place=place), check(name="b", place=place)),
        repair=Repair(said="One change here.", places=(place,)),
    )  # fmt: skip
    source = from_text("a\nb\nc\n", "f", "f.py")
    (file,), said = code_of(report, [source])
    assert "changed" in said
    assert [len(line.notes) for line in file.lines] == [0, 2, 0]
    same = msgspec.structs.replace(report, digest=source.digest)
    assert code_of(same, [None, source])[1] == ""


def test_what_has_no_line_stands_where_its_function_is_defined_last():
    named = Diagnosis(kind="named", function="f", finding="Upside down.")
    report = ExerciseReport(
        name="f", title="F", status="graded", points=0, max_points=2,
        checks=(check(diagnosis=named), check(name="b", diagnosis=named)),
    )  # fmt: skip
    source = from_text("def f():\n    pass\n\ndef f():\n    g()\n", "f", "f.py")
    (file,), _ = code_of(report, [source])
    assert [line.notes for line in file.lines if line.notes] == [("f: Upside down.",)]
    assert file.lines[3].notes


def test_no_file_is_too_long_to_be_shown():
    source = from_text("x" * 1000 + "\n" * 5000 + "y", "f", "f.py")
    report = ExerciseReport(name="f", title="F", status="graded", points=0, max_points=2)
    (file,), _ = code_of(report, [source])
    assert len(file.lines) == 3000 and file.left_out == 2001
    assert len(file.lines[0].text) < 410
