"""Whatever students put into names, answers, code and files is text on the desk, and no more."""

import re

import msgspec
import pytest

from autograder.classroom.history import GradeCommand, remember_command
from autograder.report.model import (
    Diagnosis,
    ExerciseReport,
    Grader,
    HandIn,
    Line,
    Repair,
    Report,
    WrittenAnswer,
)
from tests.courses import write_course
from tests.desk.conftest import SECRETS, client_of, let_in
from tests.desk.generated import write
from tests.report.test_faces import check

SCRIPT = "<script>alert(1)</script><img src=x onerror=alert(1)>"
QUOTES = "\"' onmouseover=alert(1) x='"
LINK = "javascript:alert(1)//"
TEMPLATE = "{{ 7 * 7 }}{% include 'desk.html' %}${7}"
BIDI = "abc\u202egpj.exe\u2066\u200f\x1b[31m\x00"
HUGE = "A" * 1_000_000
MANY = [SCRIPT, QUOTES, LINK, TEMPLATE, BIDI, HUGE, "../../../etc/passwd", "?sort=x#y", "<bdi>"]


def hostile(number, text):
    """A student of whom every text is this one."""
    place = Line(file=text[:5000], line=1, text=text)
    diagnosis = Diagnosis(
        kind="named", finding=text, misconceptions=(text[:200],), function=text[:200],
        told=text, places=(place,),
    )  # fmt: skip
    checks = (
        check(
            name=text[:200], title=text[:200], finding=text, note=text, hints=(text,), place=place
        ),
        check(name="test_named", title="Named", diagnosis=diagnosis),
        check(name="test_group", title="Group", group=text, outcome="crashed"),
    )
    exercise = ExerciseReport(
        name="one", title="One", status="needs a person", points=0.0, max_points=6.0,
        file=text, digest="d", reason=text, checks=checks, notes=(text,), printed=text,
        answers=(WrittenAnswer(name="why", title=text, text=text, max_points=2.0, comment=text),),
        repair=Repair(said=text, places=(place,)),
    )  # fmt: skip
    grader = Grader(version="1", python="3", numpy="2", digest="d", seed=0, confinement="none")
    said = HandIn(name=text, email=text, section=text, entries=(text,), at=text, at_from=text)
    return Report(
        student=f"{number} {text}"[:400], course="Tiny", status="needs a person", points=0.0,
        max_points=6.0, grader=grader, exercises=(exercise,), notes=(text,), hand_in=said,
    )  # fmt: skip


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hostile")
    course = write_course(folder, {"one": 6})
    reports = [hostile(number, text) for number, text in enumerate(MANY)]
    results = write(folder / "results", reports)
    for number, text in enumerate(MANY):
        mine = folder / "class" / f"{number} s"
        mine.mkdir(parents=True)
        (mine / "one.py").write_text(text.replace("\x00", ""), encoding="utf-8")
    command = GradeCommand(submissions=str(folder / "class"), course=str(folder))
    remember_command(results, command)
    return let_in(client_of(results, course))


@pytest.fixture(scope="module")
def pages(client):
    """Every page that there is, with the addresses that the pages themselves lead to."""
    seen, left = {}, ["/", "/map", "/exercises", "/exercises/one", "/regrade", "/export"]
    while left:
        path = left.pop()
        answer = client.get(path)
        seen[path] = answer
        for link in re.findall(r'href="(/(?:students|adjust)/[^"?#]*)', answer.text):
            if link not in seen and link not in left:
                left.append(link)
    return seen


def test_no_page_breaks_and_nothing_of_theirs_is_more_than_text(pages):
    seen = pages
    assert len([path for path in seen if path.startswith("/students/")]) == len(MANY)
    assert len([path for path in seen if path.startswith("/adjust/")]) == len(MANY)
    for path, answer in seen.items():
        assert answer.status_code == 200, path
        tags = re.findall(r"<[a-zA-Z/!][^>]*>", answer.text)
        names = {re.match(r"</?!?([a-zA-Z0-9]+)", tag)[1].lower() for tag in tags}
        assert not names & {"img", "iframe", "object", "embed", "base", "style"}, path
        assert answer.text.count("<script") == 2, path  # those of the head
        for tag in tags:
            attributes = re.sub(r'"[^"]*"|\'\{[^\']*\}\'', "", tag)
            assert not re.search(r"\son\w+|\sstyle", attributes), tag[:200]
        for address in re.findall(r'(?:href|src|action|hx-get)="([^"]*)"', answer.text):
            assert re.match(r"[/#?]", address) and not address.startswith("//"), address[:100]


def test_what_is_unseen_is_shown(pages):
    for path, answer in pages.items():
        assert not re.search("[\x00\x1b\u202a-\u202e\u2066-\u2069\u200f]", answer.text), path


def test_a_million_characters_are_cut(pages):
    for path, answer in pages.items():
        assert len(answer.text) < 4_000_000, path


def test_templates_in_texts_stay_texts(client):
    assert (
        "49"
        not in re.sub(r"\d{3,}|v=\w+", "", client.get("/exercises/one").text).split("<h2>Checks")[1]
    )


def test_damage_in_the_records_is_said_and_no_traceback(tmp_path, course):
    good = msgspec.json.encode(hostile(1, "x"))
    (tmp_path / "report.jsonl").write_bytes(good[: len(good) // 2] + b"\n")
    answer = let_in_broken(tmp_path, course)
    assert answer.status_code == 422
    assert "damaged or from another version" in answer.text and "Traceback" not in answer.text


def let_in_broken(folder, course):
    client = client_of(folder, course)
    client.get(f"/?token={SECRETS.new_token()}")
    return client.get("/")
