"""Several files for one exercise: shown side by side, and a person chooses one."""

import pytest

from autograder.classroom.grades import read_reports
from autograder.classroom.history import GradeCommand, remember_command
from autograder.course.course_file import load_course
from autograder.desk import student_view
from tests.classroom.quick import Quick
from tests.desk.conftest import client_of, let_in, text_of
from tests.tables import formulas_in

HOSTILE = "<img src=x onerror=alert(1)>;=1+3;one.py"


@pytest.fixture
def quick(tmp_path, monkeypatch):
    quick = Quick(tmp_path, monkeypatch)
    quick.work("bob", one="a=1")  # else `ann` would be taken for the class
    for version, text in (("v1", "a=5 b=0"), ("v2", "a=5 b=5")):
        folder = quick.class_folder / "ann" / version
        folder.mkdir(parents=True)
        (folder / "one.py").write_text(f"said = '{text}'\n")
    quick.grade()
    command = GradeCommand(submissions=str(quick.class_folder), course=str(quick.root))
    remember_command(quick.out, command)
    return quick


@pytest.fixture
def client(quick):
    return let_in(client_of(quick.out, load_course(quick.root / "course.yml")))


def files_on(client):
    """The ids of the files on the page, by name."""
    page = client.get("/files/ann/one")
    ids = [part.split('"')[0] for part in page.text.split('name="file" value="')[1:]]
    names = [part.split("</bdi>")[0] for part in page.text.split("<h2 id=")[1:]]
    return dict(zip((name.split("<bdi>")[1] for name in names), ids, strict=True))


def test_a_person_chooses_one_and_it_is_graded(quick, client, post):
    assert quick.table() == {"ann": ". . .", "bob": "1 . 1"}
    assert "Choose one of 2 files" in text_of(client.get("/students/ann"))
    files = files_on(client)
    assert list(files) == ["v1/one.py", "v2/one.py"]
    page = post(client, "/files/ann/one/choose", file=files["v2/one.py"], why="The later one.")
    assert "The file is chosen. Grade again to apply it." in text_of(page)
    assert "not applied yet" in text_of(client.get("/students/ann"))
    assert "changed after grade ran" in str(quick.run("export", "feedback", quick.out,
        "--out", quick.out / "f.zip").exception)  # fmt: skip
    quick.grade()
    assert quick.table() == {"ann": "10 . 10", "bob": "1 . 1"}
    shown = (quick.out / "feedback" / "ann.html").read_text()
    assert "One: a person chose one of several files by" in shown and "The later one." in shown
    assert "not applied" not in text_of(client.get("/students/ann"))
    assert "chosen" in text_of(client.get("/files/ann/one"))
    post(client, "/files/ann/one/choose", file=files["v1/one.py"])
    quick.grade()
    assert quick.table() == {"ann": "5 . 5", "bob": "1 . 1"}
    for file in files.values():
        post(client, "/adjust/ann/undo", about=f"one/{file}")
    quick.grade()
    assert quick.table() == {"ann": ". . .", "bob": "1 . 1"}


def test_a_dry_run_knows_what_was_chosen_and_what_is_asked_for(quick, client, post):
    (quick.class_folder / "ann" / "two.py").write_text("said = 'a=1'\n")
    assert "1 student ambiguous" in quick.run("grade", "--dry-run").output
    assert "all is clear" in quick.run("grade", "--dry-run", "--exercise", "two").output
    post(client, "/files/ann/one/choose", file=files_on(client)["v2/one.py"])
    done = quick.run("grade", "--dry-run")
    assert "Exit code 0: all is clear." in done.output


def test_the_last_choice_alone_counts(quick, client, post):
    files = files_on(client)
    for name in ("v1", "v2", "v1"):
        post(client, "/files/ann/one/choose", file=files[f"{name}/one.py"], why=f"Why {name}.")
        overview = quick.grade()
        assert not any("adjustments.csv" in note for note in overview.notes), overview.notes
        (report, _) = read_reports(quick.out)
        (applied,) = report.adjustments
        assert f"Why {name}." in applied.said
        assert "not applied" not in text_of(client.get("/students/ann"))


def test_each_readable_file_can_be_chosen(quick, client, post, monkeypatch):
    monkeypatch.setattr(student_view, "MAX_FILES", 1)
    page = client.get("/files/ann/one")
    assert "The code of 1 more file is not shown here" in page.text
    assert page.text.count('class="wide code"') == 1
    post(client, "/files/ann/one/choose", file=files_on(client)["v2/one.py"])
    quick.grade()
    assert quick.table()["ann"] == "10 . 10"


@pytest.mark.parametrize("change", ["another file", "another text"])
def test_a_choice_is_of_the_files_that_were_shown(quick, client, post, change):
    """If the student hands in something else, a person looks again; the choice is kept."""
    post(client, "/files/ann/one/choose", file=files_on(client)["v2/one.py"])
    quick.grade()
    assert quick.table() == {"ann": "10 . 10", "bob": "1 . 1"}
    place = quick.class_folder / "ann" / ("v3" if change == "another file" else "v1") / "one.py"
    place.parent.mkdir(exist_ok=True)
    place.write_text("said = 'a=1 b=1'\n")
    overview = quick.grade()
    assert quick.table() == {"ann": ". . .", "bob": "1 . 1"}
    assert any("work changed" in note for note in overview.notes)
    quick.run("export", "feedback", quick.out, "--out", quick.out / "f.zip")  # is not refused
    place.unlink() if change == "another file" else place.write_text("said = 'a=5 b=0'\n")
    quick.grade()
    assert quick.table() == {"ann": "10 . 10", "bob": "1 . 1"}


def test_names_and_ids_of_files_are_harmless(quick, client, post):
    (quick.class_folder / "ann" / HOSTILE).write_text("said = 'a=2 b=1'\n")
    (quick.class_folder / "ann" / "v1" / "one.py").write_text("said = '<script>'\n")
    quick.grade()
    page = client.get("/files/ann/one")
    assert "<script>'" not in page.text and "<img src=x" not in page.text
    for file in ("", "../../etc/passwd", "=1+1", "x" * 100_000):
        assert post(client, "/files/ann/one/choose", file=file).status_code == 422
    assert client.get("/files/ann/two").status_code == 422
    assert client.get("/files/ann/three").status_code == 422
    assert client.get("/files/nobody/one").status_code == 404
    assert not (quick.out / "adjustments.csv").exists()
    post(client, "/files/ann/one/choose", file=next(iter(files_on(client).values())), why="=1+1")
    assert formulas_in((quick.out / "adjustments.csv").read_text()) == []


@pytest.mark.parametrize("row", ["total,abc", "one,"])
def test_a_row_that_chooses_no_file_of_an_exercise_is_refused(quick, row):
    exercise, check = row.split(",")
    head = "student,exercise,check,change,points\n"
    (quick.out / "adjustments.csv").write_text(f"{head}ann,{exercise},{check},file,\n")
    done = quick.run("grade")
    assert "line 2: enter the change 'file' on the desk" in str(done.exception)
