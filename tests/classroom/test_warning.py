"""What is ambiguous is named before the first submission is graded."""

import pytest

from autograder.classroom.grade_class import Job, grade_class
from autograder.course.course_file import load_course
from tests.classroom.quick import Quick


@pytest.fixture
def warned(tmp_path, monkeypatch):
    """The warnings of a run over files, and what had been graded by then."""
    quick = Quick(tmp_path, monkeypatch)

    def warned(files, roster=""):
        for place, text in {"zoe/one.py": "said = 'a=1'", **files}.items():
            path = quick.class_folder / place
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        course = load_course(quick.root / "course.yml")
        (tmp_path / "roster.csv").write_text(roster)
        said = []
        job = Job(
            course=course, exercises=course.content.exercises, workers=1, seed=0,
            submissions=quick.class_folder, out=quick.out,
            roster=tmp_path / "roster.csv" if roster else None,
        )  # fmt: skip
        grade_class(
            job, lambda *_: None, warn=lambda found: said.append((list(found), list(quick.asked)))
        )
        return said

    return warned


def test_several_files_and_people(warned):
    files = {
        "ann/v1/one.py": "said = 'a=1'",
        "ann/v2/one.py": "said = 'a=2'",
        "bob/one.py": "said = 'a=3'",
        "bob/copy/one.py": "said = 'a=3'",
        "bob/two.py": "said = 'a=3'",
    }
    assert warned(files) == [(["ann: 2 files for one"], [])]


def test_nothing_is_said_of_a_clear_class(warned):
    assert warned({"ann/one.py": "said = 'a=1'", "ann/two.py": "x = 1", "ann/a.py": "y = 1"}) == []


def test_a_person_who_may_be_two(warned):
    files = {"Anna Muster/one.py": "said = 'a=1'"}
    ((found, asked),) = warned(files, "id,name\na,Anna Muster\nb,Muster Anna\nzoe,\n")
    assert asked == [] and [line.split(":")[0] for line in found] == ["a", "b"]


def test_the_command_says_it_on_stderr(tmp_path, monkeypatch):
    quick = Quick(tmp_path, monkeypatch)
    quick.work("zoe", one="a=1")
    for number in range(12):
        for version in ("v1", "v2"):
            folder = quick.class_folder / f"s{number:02}\x1b[31m" / version
            folder.mkdir(parents=True)
            (folder / "one.py").write_text(f"said = '{version}'")
    done = quick.run("grade")
    assert done.stderr.startswith("12 ambiguities in the submissions. A person must decide these")
    assert "\x1b" not in done.stderr and "… and 2 more" in done.stderr
    assert "2 files for one" not in (quick.out / "grade.log").read_text()
    events = quick.run("grade", "--json").stdout
    assert '"event":"warning"' in events.replace(" ", "")
