"""Links that others put where the grader writes: none is followed, and nothing is lost by them."""

import os

import msgspec
import pytest

from autograder.classroom.grade_class import Job, grade_class
from autograder.course.errors import UserError
from autograder.course.files import write_atomically
from autograder.student.progress import FOLDER, write_record
from autograder.student.step import Attempts, Seen, read_attempts

SHOWN = Attempts("d", {"one": Seen("failed", 2)})


@pytest.fixture
def theirs(tmp_path):
    """A folder of somebody's, with a file in it that must stay."""
    folder = tmp_path / "theirs"
    folder.mkdir()
    for name in ("softmax.json", ".gitignore", "keep.txt"):
        (folder / name).write_text("precious")
    return folder


def unchanged(folder):
    there = {path.name: path.read_text() for path in folder.iterdir()}
    return there == dict.fromkeys(("softmax.json", ".gitignore", "keep.txt"), "precious")


def link(kind, at, to):
    {"soft": os.symlink, "hard": os.link}[kind](to, at)


def test_attempts_do_not_go_through_a_linked_folder(tmp_path, theirs):
    file = tmp_path / "work" / "softmax.py"
    kept = file.parent / FOLDER / "softmax.json"
    kept.parent.parent.mkdir()
    kept.parent.symlink_to(theirs)
    write_record(file, "softmax", SHOWN)
    assert unchanged(theirs)
    assert read_attempts(file, "softmax") == Attempts()


def test_attempts_are_not_read_through_a_linked_folder(tmp_path, theirs):
    (theirs / "softmax.json").write_bytes(msgspec.json.encode(SHOWN))
    file = tmp_path / "softmax.py"
    kept = file.parent / FOLDER / "softmax.json"
    kept.parent.symlink_to(theirs)
    assert read_attempts(file, "softmax") == Attempts()


@pytest.mark.parametrize("kind", ["soft", "hard"])
@pytest.mark.parametrize(
    "name", ["softmax.json", ".gitignore", "softmax.json.part", ".gitignore.part"]
)
def test_attempts_do_not_go_through_a_linked_file(tmp_path, theirs, kind, name):
    file = tmp_path / "softmax.py"
    kept = file.parent / FOLDER / "softmax.json"
    kept.parent.mkdir()
    link(kind, kept.parent / name, theirs / "keep.txt")
    write_record(file, "softmax", SHOWN)
    assert unchanged(theirs)
    assert read_attempts(file, "softmax") == SHOWN


@pytest.mark.parametrize("kind", ["a pipe", "a folder", "a file for the folder", "nothing"])
def test_other_things_in_its_place_do_no_harm(tmp_path, kind):
    file = tmp_path / "softmax.py"
    kept = file.parent / FOLDER / "softmax.json"
    if kind == "a file for the folder":
        kept.parent.write_text("x")
    elif kind != "nothing":
        kept.parent.mkdir()
        os.mkfifo(kept) if kind == "a pipe" else kept.mkdir()
    assert read_attempts(file, "softmax") == Attempts()
    write_record(file, "softmax", SHOWN)
    assert read_attempts(file, "softmax") == (
        SHOWN if kind in {"a pipe", "nothing"} else Attempts()
    )


@pytest.mark.parametrize("data", [b"[" * 100_000, b"\xff\xfe", b"{}" * 2, b'{"checks": 3}'])
def test_damaged_attempts_stand_for_nothing(tmp_path, data):
    file = tmp_path / "softmax.py"
    kept = file.parent / FOLDER / "softmax.json"
    kept.parent.mkdir()
    kept.write_bytes(data)
    assert read_attempts(file, "softmax") == Attempts()


@pytest.mark.parametrize("kind", ["soft", "hard"])
@pytest.mark.parametrize("suffix", ["", ".part"])
def test_a_file_takes_the_place_of_a_link(tmp_path, theirs, kind, suffix):
    link(kind, tmp_path / f"page.html{suffix}", theirs / "keep.txt")
    write_atomically(tmp_path / "page.html", "new")
    assert (tmp_path / "page.html").read_text() == "new"
    assert not (tmp_path / "page.html").is_symlink()
    assert unchanged(theirs)


@pytest.fixture
def grade(course, tmp_path, one_judge):
    folder = tmp_path / "class" / "s1"
    folder.mkdir(parents=True)
    (folder / "causal_mask.py").write_text("def count_visible(n): return n\n")

    def grade():
        exercises = (course.exercise("causal_mask"),)
        job = Job(
            course=course,
            exercises=exercises,
            submissions=folder.parent,
            out=tmp_path / "out",
            workers=1,
            seed=0,
        )
        grade_class(job, lambda *_: None)

    return grade


FILES = ["index.html", "grades.csv", "feedback/s1.html"]
FOLDERS = ["feedback", "history", "proposed"]


@pytest.mark.one_in(3)
@pytest.mark.parametrize("again", [False, True])
@pytest.mark.parametrize("name", [*FILES, *(f"{name}.part" for name in FILES)])
def test_no_result_goes_through_a_link(grade, tmp_path, theirs, name, again):
    (tmp_path / "out" / "feedback").mkdir(parents=True)
    if again:
        grade()
    place = tmp_path / "out" / name
    place.unlink(missing_ok=True)
    place.symlink_to(theirs / "keep.txt")
    grade()
    assert unchanged(theirs)
    final = tmp_path / "out" / name.removesuffix(".part")
    assert final.is_file() and not final.is_symlink()


@pytest.mark.parametrize(
    "name", [*FOLDERS, "journal.sqlite", "journal.sqlite-wal", "report.jsonl", ".lock"]
)
def test_a_linked_folder_or_journal_is_refused_in_a_sentence(grade, tmp_path, theirs, name):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / name).symlink_to(theirs if name in FOLDERS else theirs / "keep.txt")
    with pytest.raises(UserError, match="link"):
        grade()
    assert unchanged(theirs)


def test_out_itself_may_be_a_link(grade, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "out").symlink_to(tmp_path / "elsewhere")
    grade()
    assert (tmp_path / "elsewhere" / "grades.csv").is_file()
