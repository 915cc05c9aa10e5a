"""A class on two pages: what is told, what is never told, and how it looks."""

import msgspec
import numpy as np
import pytest
from click.testing import CliRunner

from autograder.cli import app
from autograder.course import installation
from autograder.course.errors import UserError
from autograder.report.class_report import (
    TEMPLATE,
    as_html,
    as_pdf,
    bands,
    class_report,
    may_be_told,
    template_inputs,
    with_company,
)
from autograder.report.model import CheckReport, Diagnosis, ExerciseReport, Grader, Report
from tests.browser import chromium
from tests.report.test_faces import EVIL

GRADER = Grader(version="1", python="3", numpy="2", digest="d", seed=1, confinement="none")
TYPST = '#panic("no") $\\frac$ *b* \\ @a 数'


def pages_of(report):
    typst = pytest.importorskip("typst")
    pictures = typst.compile(
        TEMPLATE.read_bytes(), format="png", sys_inputs=template_inputs(report)
    )
    return len(pictures) if isinstance(pictures, list) else 1


def a_check(name, points, mistake=""):
    diagnosis = Diagnosis(
        kind="named", function="f", finding=f"You {mistake}.", misconceptions=(mistake,)
    )
    return CheckReport(
        name=name,
        title=name,
        points=points,
        max_points=2.0,
        outcome="passed" if points else "failed",
        diagnosis=diagnosis if mistake else None,
    )


def a_report(student, *exercises, course="C", titles=()):
    """Each exercise is the checks of one, or nothing where it was not handed in."""
    made = [
        ExerciseReport(
            name=f"e{number}",
            title=titles[number] if titles else f"E{number}",
            status="graded" if checks else "missing",
            points=sum(each.points for each in checks),
            max_points=2.0 * max(1, *map(len, exercises)),
            checks=tuple(checks),
        )
        for number, checks in enumerate(exercises)
    ]
    total, most = sum(e.points for e in made), sum(e.max_points for e in made)
    return Report(
        student=f"s{student}",
        course=course,
        status="graded",
        points=total,
        max_points=most,
        grader=GRADER,
        exercises=tuple(made),
    )


def a_random_class(seed):
    """Of 5 to 60 students, three exercises and four mistakes, each made by any number of them."""
    rng = np.random.default_rng(seed)
    often, handed_in = rng.random(4), rng.choice([0.2, 0.8, 0.95, 1.0], 3)
    reports = []
    for student in range(rng.integers(5, 61)):
        exercises = []
        for number in range(3):
            made = [f"m{i}" for i in range(2) if rng.random() < often[(number + i) % 4]]
            checks = [a_check(f"t{i}", 0.0, name) for i, name in enumerate(made)]
            checks += [a_check("right", 2.0)] + [
                a_check(f"r{i}", 2.0) for i in range(2 - len(made))
            ]
            exercises.append(checks if rng.random() < handed_in[number] else [])
        reports.append(a_report(student, *exercises))
    return reports


def handed_in(reports, number):
    return {r.student for r in reports if r.exercises[number].checks}


def made(reports, number, mistake):
    return {
        r.student
        for r in reports
        for c in r.exercises[number].checks
        if c.diagnosis and c.diagnosis.finding in mistake
    }


@pytest.mark.one_in(4)
@pytest.mark.parametrize("seed", range(20))
def test_no_number_of_few_is_told_or_follows_by_subtraction(seed):
    reports = a_random_class(seed)
    everybody = set().union(*(handed_in(reports, n) for n in range(3)))
    if len(everybody) < 5:
        return
    told = class_report(reports)
    assert told.students == len(everybody)
    assert sum(band.students for band in told.bands) == told.students
    assert all(band.students >= 5 for band in told.bands)
    for line in told.exercises:
        took = len(handed_in(reports, int(line.title[1:])))
        if line.students.isdecimal():
            assert took == int(line.students) >= 5
            assert told.students - took not in range(1, 5)
        assert took >= 5 or line.facility is None
    assert sum(line.facility is None for line in told.exercises) != 1
    for number in range(3):
        theirs = [m for m in told.mistakes if m.exercise == f"E{number}"]
        who = [made(reports, number, m.finding) for m in theirs]
        assert all(len(each) >= 5 for each in who)
        for mistake, by in zip(theirs, who, strict=True):
            if mistake.students.isdecimal():
                assert int(mistake.students) == len(by)
                for whole in (len(everybody), len(handed_in(reports, number))):
                    assert whole - len(by) not in range(1, 5)
        if len(who) > 1:  # together they leave no few
            assert len(handed_in(reports, number) - set().union(*who)) not in range(1, 5)


def test_a_number_that_leaves_few_is_said_in_words():
    reports = [
        a_report(n, [a_check("t", 0.0, "invert")] if n < 17 else [a_check("t", 2.0)], [])
        for n in range(20)
    ]
    told = class_report(reports)
    assert [each.students for each in told.mistakes] == ["all but a few"]


def test_points_that_are_all_or_nothing_do_not_tell_how_many_have_them():
    """And of exercises that add up to the mean no single one is left out."""
    right, wrong = a_check("t", 2.0), a_check("t", 0.0)
    reports = [
        a_report(n, [right if n < 28 else wrong], [right if n % 2 else wrong]) for n in range(30)
    ]
    first, second = class_report(reports).exercises
    assert (first.facility, second.facility) == (None, None)
    assert "a few" in first.why_not
    assert "another" in second.why_not
    assert "mean" not in dict(class_report(reports).facts)


def test_the_rules_by_themselves():
    assert [tuple(each) for each in bands([1, 0, 5, 3, 3, 0, 0, 2, 0, 1])] == [
        (0, 3, 6),
        (3, 10, 9),
    ]
    assert bands([4]) == []
    assert may_be_told(5, 5, 10)
    assert not may_be_told(5, 9)
    assert not may_be_told(4)
    assert with_company([2], [9, 7, 3]) == {1, 2}
    assert with_company([0, 2], [9, 7, 3]) == {0, 2}


def test_of_four_students_nothing_is_told():
    with pytest.raises(UserError, match="Fewer than 5"):
        class_report([a_report(n, [a_check("t", 2.0)]) for n in range(4)])


def a_full_class(size=60):
    """As much as there can be: 24 exercises with long titles, ten mistakes with long sentences."""
    titles = [
        f"{n}: a long title of an exercise, {TYPST}, {EVIL}, and more of it" for n in range(24)
    ]
    reports = []
    for student in range(size):
        exercises = []
        for number in range(24):
            mistake = f"{EVIL} {TYPST} {'very long ' * 100_000 * (number == 0)}{number}"
            wrong = number < 10 and (student + number) % 3 == 0
            last = (
                a_check("t1", 0.0, f"{'long words ' * 30}{mistake}")
                if wrong
                else a_check("t1", 2.0)
            )
            exercises.append([a_check("t0", 2.0 * (student % 2)), last])
        reports.append(a_report(student, *exercises, course=f"{EVIL} {TYPST}", titles=titles))
    return reports


def test_it_is_two_pages_whatever_is_in_it():
    full = class_report(a_full_class())
    assert pages_of(full) == 2
    assert as_pdf(full).startswith(b"%PDF")
    assert pages_of(class_report(a_full_class(5))) == 2


@pytest.mark.thorough
def test_in_a_browser_it_prints_on_two_sheets_and_fits_a_phone(tmp_path):
    (tmp_path / "page.html").write_text(as_html(class_report(a_full_class())))
    with chromium() as browser:
        page = browser.new_page(viewport={"width": 390, "height": 800})
        page.goto((tmp_path / "page.html").as_uri())
        assert page.evaluate("document.documentElement.scrollWidth") == 390
        assert b"/Count 2" in page.pdf(prefer_css_page_size=True)


def test_what_others_wrote_is_text():
    page = as_html(class_report(a_full_class()))
    assert EVIL not in page
    assert "&lt;script&gt;" in page
    assert "<script" not in page


def test_charts_have_the_colours_of_the_page_and_on_paper_their_own():
    """A picture in the page stayed white in the dark."""
    told = class_report(a_full_class())
    page, paper = as_html(told), template_inputs(told)["report"]
    charts = page.split("</style>")[1]
    assert "<img" not in charts and "#ffffff" not in charts
    assert 'fill="var(--accent)"' in charts and 'fill="var(--text)"' in charts
    assert charts.count('role="img" aria-label="') == 2
    assert "var(--" not in paper and "#1f4f99" in paper


def test_the_pdf_is_tagged_and_the_same_every_time():
    told = class_report(a_random_class(1))
    pdf = as_pdf(told)
    for part in (b"/StructTreeRoot", b"pdfuaid:part", b"/Lang"):
        assert part in pdf
    assert b"CreationDate" not in pdf
    assert pdf == as_pdf(told)
    assert as_html(told) == as_html(told)


@pytest.fixture
def results(tmp_path):
    lines = b"".join(msgspec.json.encode(each) + b"\n" for each in a_random_class(3))
    (tmp_path / "report.jsonl").write_bytes(lines)
    return tmp_path


def test_the_command_writes_both(results):
    done = CliRunner().invoke(app, ["class-report", str(results), "--date", "2026-11-02"])
    assert done.exit_code == 0, done.output
    assert "2 November 2026" in (results / "class-report.html").read_text()
    assert (results / "class-report.pdf").read_bytes().startswith(b"%PDF")


def test_without_the_library_there_is_the_page_and_a_sentence(results, monkeypatch):
    monkeypatch.setitem(installation.MODULES, "pdf", ("no_such_library",))
    done = CliRunner().invoke(app, ["class-report", str(results), "--out", str(results / "new")])
    assert done.exit_code == 1
    assert "-m pip install -e" in done.output and "[pdf]" in done.output
    assert [path.name for path in (results / "new").iterdir()] == ["class-report.html"]
