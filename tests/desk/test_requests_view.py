"""Regrade requests, and comments at a line of the code: handed in or entered, answered, in feedback."""

import pytest

from autograder.classroom.grades import read_reports
from autograder.classroom.history import GradeCommand, remember_command
from autograder.course.course_file import load_course
from autograder.report.redaction import for_student
from tests.classroom.quick import Quick
from tests.desk.conftest import client_of, let_in, text_of
from tests.tables import formulas_in

HOSTILE = "<script>alert(1)</script>{{ 7 * 7 }}\x1b[31m\u202e=cmd|' /C calc'!A0\n;=1+3;"


@pytest.fixture
def quick(tmp_path, monkeypatch):
    quick = Quick(tmp_path, monkeypatch)
    quick.work("ann", one="a=5 b=0", two="a=5 b=5")
    quick.work("bob", one="a=1")
    return quick


def ask(quick, name, text):
    (quick.class_folder / "ann" / name).write_bytes(
        text if isinstance(text, bytes) else text.encode()
    )


@pytest.fixture
def desk_of(quick):
    """The desk, once the class is graded."""

    def desk_of():
        quick.grade()
        command = GradeCommand(submissions=str(quick.class_folder), course=str(quick.root))
        remember_command(quick.out, command)
        return let_in(client_of(quick.out, load_course(quick.root / "course.yml")))

    return desk_of


def request_on(page):
    return page.text.split('name="request" value="')[1].split('"')[0]


def feedback(quick):
    return (quick.out / "feedback" / "ann.html").read_text()


def test_a_request_waits_until_it_is_answered(quick, desk_of, post):
    ask(quick, "regrade_one.txt", "B is right: 3 < 4. Grüße")
    client = desk_of()
    page = client.get("/requests")
    assert "B is right: 3 < 4. Grüße" in text_of(page) and "One 5 of 10 points" in text_of(page)
    assert "B is right" in text_of(client.get("/students/ann"))
    assert "1 regrade request waits for an answer." in text_of(client.get("/"))
    said = "No: 3 < 4 is no proof."
    page = text_of(post(client, "/requests/ann/one", request=request_on(page), answer=said))
    assert "No request waits for an answer." in page and "No: 3 < 4 is no proof." in page
    assert "regrade request" not in text_of(client.get("/"))
    overview = quick.grade()
    assert "One: an answer to your regrade request by" in feedback(quick)
    assert "No: 3 &lt; 4 is no proof." in feedback(quick)
    assert not any("request" in note for note in overview.notes)
    assert quick.table()["ann"] == "5 10 15"


def test_nobody_but_instructors_sees_it(quick, desk_of):
    ask(quick, "Regrade request - One.md", "SECRETWORD")
    client = desk_of()
    assert "SECRETWORD" in client.get("/requests").text
    files = quick.files()
    with_it = {name for name, data in files.items() if b"SECRETWORD" in data}
    assert with_it == {"report.jsonl"}
    (report, _) = read_reports(quick.out)
    assert report.exercises[0].request and not for_student(report, "practice").exercises[0].request
    quick.run("export", "gradescope", quick.out, "--out", quick.out / "g.zip")
    assert b"SECRETWORD" not in (quick.out / "g.zip").read_bytes()


def test_another_request_is_open_again(quick, desk_of, post):
    ask(quick, "regrade_one.txt", "Please.")
    client = desk_of()
    first = request_on(client.get("/requests"))
    post(client, "/requests/ann/one", request=first, answer="No.")
    overview = quick.grade()
    ask(quick, "regrade_one.txt", "Please look at line 3.")
    overview = quick.grade()
    assert any("1 regrade request without an answer" in note for note in overview.notes)
    assert any("work changed" in note for note in overview.notes)
    assert "answer to your regrade request" not in feedback(quick)
    page = client.get("/requests")
    assert "Please look at line 3." in text_of(page)
    stale = post(client, "/requests/ann/one", request=first, answer="Yes.")
    assert stale.status_code == 422 and "a new request meanwhile" in text_of(stale)
    assert (
        post(client, "/requests/ann/one", request=request_on(page), answer=" ").status_code == 422
    )
    assert post(client, "/requests/bob/one", request=first, answer="Yes.").status_code == 404


def test_requests_are_no_code_and_change_no_points(quick):
    """`one_regrade.txt` would else be read as the exercise's file."""
    quick.grade()
    before = quick.table()
    for name in ("one_regrade.txt", "re-grade one.md", "regrade.txt", "regrade_one_two.txt"):
        ask(quick, name, "It should be 'a=9 b=9'.")
    overview = quick.grade()
    assert quick.table() == before
    (report, _) = read_reports(quick.out)
    assert report.exercises[0].request.count("a=9") == 4
    assert "regrade.txt: It" in report.exercises[0].request
    assert len([note for note in report.notes if "read as a regrade request" in note]) == 4
    assert overview.needs_a_person == []


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    "data", [HOSTILE.encode(), b"\xff\xfe\x00\x01" * 50, b"\xff" * 6000, b"", b"A" * 50_000_000]
)
def test_whatever_is_in_a_request_is_text(quick, desk_of, data, post):
    ask(quick, "regrade_one.txt", data)
    client = desk_of()
    for page in ("/requests", "/students/ann", "/"):
        text = client.get(page).text
        assert "<script>alert" not in text and "\x1b" not in text and "\u202e" not in text
        assert len(text) < 200_000
    assert quick.table() == {"ann": "5 10 15", "bob": "1 . 1"}
    if data == HOSTILE.encode():
        post(
            client, "/requests/ann/one", request=request_on(client.get("/requests")), answer=HOSTILE
        )
        quick.grade()
        assert "<script>alert" not in feedback(quick)
        for path in quick.out.rglob("*.csv"):
            assert formulas_in(path.read_text()) == [], path


def test_a_link_as_a_request_leads_nowhere(quick, desk_of, tmp_path):
    (tmp_path / "secret").write_text("SECRETWORD")
    (quick.class_folder / "ann" / "regrade_one.txt").symlink_to(tmp_path / "secret")
    assert "SECRETWORD" not in desk_of().get("/requests").text


def test_a_comment_at_a_line(quick, desk_of, post):
    (quick.class_folder / "ann" / "one.py").write_text("x = 1\nsaid = 'a=5 <b>'\n")
    client = desk_of()
    page = post(client, "/comment/ann/one", line="2", why="Say it <i>louder</i>.", by="Kim")
    assert "One, line 2: a comment by Kim" in text_of(page) or "one / line 2" in text_of(page)
    assert "Kim: Say it &lt;i&gt;louder" in client.get("/students/ann").text
    quick.grade()
    assert "Say it &lt;i&gt;louder" in feedback(quick)
    assert "2 | said = &#39;a=5 &lt;b&gt;&#39;" in feedback(quick)
    assert feedback(quick).count("louder") == 1
    assert quick.table()["ann"] == "5 10 15"
    (quick.class_folder / "ann" / "one.py").write_text("x = 1\n\nsaid = 'a=5'\n")
    quick.grade()
    assert "louder" not in feedback(quick)  # it was about other work
    done = quick.run("adjust", quick.out, "ann", "one", "--line", "3", "--why", "Better.")
    assert done.exit_code == 0
    quick.grade()
    assert "3 | said = &#39;a=5&#39;" in feedback(quick)
    assert quick.run("adjust", quick.out, "ann", "one", "--line", "3", "--undo").exit_code == 0


@pytest.mark.parametrize("line", ["", "0", "-1", "x", "1e9", "9" * 50, "1\n2", "<b>"])
def test_a_line_that_is_none_is_refused(desk_of, quick, post, line):
    client = desk_of()
    assert post(client, "/comment/ann/one", line=line, why="x").status_code == 422
    assert post(client, "/comment/ann/three", line="1", why="x").status_code == 422
    assert not (quick.out / "adjustments.csv").exists()


def test_a_line_beyond_the_end_is_a_comment_on_the_exercise(desk_of, quick, post):
    client = desk_of()
    post(client, "/comment/ann/one", line="500", why="Where?", by="Kim")
    quick.grade()
    assert "One, line 500: a comment by Kim" in feedback(quick)


@pytest.mark.parametrize("change", [("--add", "1"), ("--check", "test_a")])
def test_a_line_is_for_comments_alone(quick, desk_of, change):
    desk_of()
    done = quick.run("adjust", quick.out, "ann", "one", "--line", "1", "--why", "x", *change)
    assert "--line is for a comment" in str(done.exception)
