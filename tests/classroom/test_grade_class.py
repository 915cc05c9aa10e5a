"""Grading a class: the sample class, the same results each time, and nobody's loss for another's."""

import contextlib
import csv
import json
import re
import shutil
import zipfile

import msgspec
import pytest
import yaml

from autograder.classroom import grade_class as grade_module
from autograder.classroom import hand_ins
from autograder.classroom.grade_class import Job, grade_class
from autograder.classroom.hand_ins import find_folders
from autograder.course.course_file import load_course
from autograder.course.errors import UserError
from autograder.report.html import SCRIPT
from autograder.report.model import SEVERITY
from autograder.sandbox.levels import choose
from tests.classroom.quick import Quick
from tests.courses import write_course

FINE = "def count_visible(n): return list(range(1, n + 1))\n"


@pytest.fixture
def grade(course, tmp_path):
    def grade(submissions, out="out", workers=1, exercises=("causal_mask",), course=course):
        chosen = tuple(course.exercise(name) for name in exercises)
        job = Job(
            course=course,
            exercises=chosen,
            submissions=submissions,
            out=tmp_path / out,
            workers=workers,
            seed=0,
        )
        return grade_class(job, lambda *_: None)

    return grade


def results(folder):
    """All that a run writes for people; the journal is for the grader itself."""
    return [p for p in folder.rglob("*.*") if p.suffix in {".csv", ".jsonl", ".html"}]


def table(folder):
    with (folder / "grades.csv").open(newline="") as file:
        return {row["student"]: row for row in csv.DictReader(file)}


def put(folder, path, text=FINE):
    place = folder / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text)


@pytest.fixture(scope="module")
def grade_sample(root, tmp_path_factory):
    """Grade the sample class; endless loops have half a second."""
    folder = tmp_path_factory.mktemp("sample")
    for name in ("reference", "autograder", "exercises"):
        (folder / name).symlink_to(root / name)
    text = (root / "course.yml").read_text()
    text = text.replace("call_seconds: 5", "call_seconds: 0.5").replace(
        "d_seconds: 10", "d_seconds: 1"
    )
    (folder / "course.yml").write_text(text)
    course = load_course(folder / "course.yml")

    def grade_sample(out, workers, exercises=tuple(course.exercises)):
        job = Job(
            course=course,
            exercises=tuple(course.exercise(name) for name in exercises),
            submissions=root / "examples" / "class",
            out=folder / out,
            workers=workers,
            seed=course.content.seed,
            level=choose(None, own_code=True),
        )
        grade_class(job, lambda *_: None)
        return folder / out

    return grade_sample


@pytest.fixture(scope="module")
def sample_class(grade_sample, course, request):
    """The sample class, graded: in all exercises, or in some that are quick to grade."""
    if request.config.getoption("--thorough"):
        return grade_sample("graded", 2)
    some = (*course.content.assignments[0].exercises[:2], "causal_mask", "reflection")
    return grade_sample("graded", 1, some)


def test_right_files_get_full_marks_and_no_others(sample_class, root, course):
    right = yaml.safe_load((root / "examples" / "right.yml").read_text())
    rows = table(sample_class)
    assert set(rows) == set(right)
    for student, row in rows.items():
        for name, exercise in course.exercises.items():
            if exercise.questions or name not in row:
                continue
            full = row[name] == f"{exercise.points:g}"
            assert full == (name in right[student]), (student, name, row[name])


@pytest.mark.thorough
def test_the_readme_shows_the_points_of_the_sample_class(sample_class, root, course):
    """Of the first assignment, which is quick to grade; tests/tools/test_facts.py has all of it."""
    shown = dict(re.findall(r"^(s\d\d) +(\d+|·) ", (root / "README.md").read_text(), re.MULTILINE))
    assert len(shown) == 4
    rows = table(sample_class)
    for student, points in shown.items():
        cells = [rows[student][name] for name in course.content.assignments[0].exercises]
        known = [float(cell) for cell in cells if cell]
        assert points == (f"{sum(known):g}" if known else "·"), "run: python -m tools.facts"


@pytest.mark.thorough
@pytest.mark.parametrize(
    "exercises",
    [
        ("multi_head_reshape", "qkv_projection"),
        pytest.param((), id="all"),
    ],
)
def test_one_worker_or_two_give_the_same_bytes(grade_sample, exercises):
    few = {"exercises": exercises} if exercises else {}
    one, two = (grade_sample(f"{workers} {len(exercises)}", workers, **few) for workers in (1, 2))
    names = {path.relative_to(one) for path in results(one)}
    assert len(names) >= 28
    for name in names:
        assert (one / name).read_bytes() == (two / name).read_bytes(), name


def test_every_status_is_there_and_no_bare_zero(sample_class):
    rows = table(sample_class)
    statuses = {row["status"] for row in rows.values()}
    assert statuses == set(SEVERITY)
    assert rows["s16"]["softmax"] == ""
    assert rows["s23"]["softmax"] == "" and rows["s23"]["causal_mask"] == "14"
    assert "its JSON is damaged" in rows["s23"]["notes"]


def test_hostile_text_is_neutralised_in_every_file(sample_class):
    for path in results(sample_class):
        text = path.read_text()
        assert "\x1b" not in text, path
        ours = f"<script>{SCRIPT}</script>"
        assert "<script" not in text.replace(ours, "") or path.suffix == ".jsonl", path


def test_reports_are_one_a_line(sample_class):
    lines = (sample_class / "report.jsonl").read_text().splitlines()
    reports = [json.loads(line) for line in lines]
    assert [report["student"] for report in reports] == sorted(r["student"] for r in reports)
    assert all(report["schema"] == 1 and report["grader"]["confinement"] for report in reports)


@pytest.mark.usefixtures("one_judge")
def test_a_zip_gives_the_same_grades(grade, tmp_path):
    put(tmp_path, "class/s1/causal_mask.py")
    put(tmp_path, "class/s2/causal_mask.py", "def count_visible(n): return n\n")
    with zipfile.ZipFile(tmp_path / "class.zip", "w") as file:
        for path in (tmp_path / "class").rglob("*.py"):
            file.write(path, path.relative_to(tmp_path))
    grade(tmp_path / "class", "a")
    grade(tmp_path / "class.zip", "b")
    for name in ("grades.csv", "report.jsonl"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()
    assert table(tmp_path / "a")["s1"]["causal_mask"] == "1"


def test_a_judge_that_dies_costs_only_the_submission_it_died_of(grade, tmp_path):
    """A check that ends the judge itself, for one submission: the others are graded."""
    check = "import os\nimport pytest\n@pytest.mark.check('A')\ndef test_one(submission):\n    if submission.f() == 13: os._exit(1)\n"
    course = write_course(tmp_path / "course", {"one": 1}, checks={"one": check})
    for i in range(12, 16):
        put(tmp_path, f"class/s{i}/one.py", f"def f(): return {i}\n")
    overview = grade(tmp_path / "class", workers=2, exercises=("one",), course=course)
    assert [row.student for row in overview.needs_a_person] == ["s13"]
    assert [row.total for row in overview.rows] == [1, None, 1, 1]


def test_nothing_is_left_behind(grade, tmp_path, monkeypatch):
    scratch = tmp_path / "tmp"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    put(tmp_path, "class/s1/causal_mask.py", "import os\ndef count_visible(n): os._exit(1)\n")
    put(tmp_path, "class/s2/causal_mask.py")
    grade(tmp_path / "class", workers=2)
    assert list(scratch.iterdir()) == []


@pytest.mark.usefixtures("one_judge")
def test_strange_names_get_pages_of_their_own(grade, tmp_path):
    for name in ("=1+1", "..hidden", "a b", "a_b", "A_B", "ü", "x" * 200, "<b>"):
        put(tmp_path, f"class/{name}x/causal_mask.py")
    overview = grade(tmp_path / "class")
    pages = {row.page.lower() for row in overview.rows}
    assert len(pages) == len(overview.rows) == 7  # a leading dot hides a folder
    assert all((tmp_path / "out" / row.page).is_file() for row in overview.rows)


@pytest.mark.usefixtures("one_judge")
def test_a_folder_that_vanishes_while_the_class_is_graded(grade, tmp_path, monkeypatch):
    put(tmp_path, "class/s1/causal_mask.py")
    put(tmp_path, "class/s2/causal_mask.py")

    def find(*args, **options):
        folders = find_folders(*args, **options)
        shutil.rmtree(tmp_path / "class" / "s1")
        return folders

    monkeypatch.setattr(hand_ins, "find_folders", find)
    overview = grade(tmp_path / "class")
    assert [row.status for row in overview.rows] == ["needs a person", "graded"]
    assert "The folder cannot be read: No such file or directory." in overview.rows[0].notes[0]


def test_out_must_not_be_the_submissions(grade, tmp_path):
    put(tmp_path, "out/s1/causal_mask.py")
    with pytest.raises(UserError, match="is the folder of the submissions"):
        grade(tmp_path / "out")


@pytest.mark.usefixtures("one_judge")
def test_a_full_disk_is_said(grade, tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device", "grades.csv")

    put(tmp_path, "class/s1/causal_mask.py")
    monkeypatch.setattr("autograder.classroom.pending_results.write_grades", full)
    with pytest.raises(UserError, match="cannot be written: No space left on device"):
        grade(tmp_path / "class")


@pytest.mark.usefixtures("one_judge")
def test_results_of_an_earlier_run_are_replaced(grade, tmp_path):
    put(tmp_path, "class/s1/causal_mask.py")
    put(tmp_path, "class/s2/causal_mask.py")
    grade(tmp_path / "class")
    shutil.rmtree(tmp_path / "class" / "s2")
    put(tmp_path, "class/s3/causal_mask.py")
    grade(tmp_path / "class")
    assert set(table(tmp_path / "out")) == {"s1", "s3"}
    assert not list((tmp_path / "out").glob("*.part"))


@pytest.mark.usefixtures("one_judge")
def test_what_has_not_changed_is_not_graded_again(grade, tmp_path, monkeypatch):
    put(tmp_path, "class/s1/causal_mask.py")
    put(tmp_path, "class/s2/causal_mask.py")
    grade(tmp_path / "class")
    before = {path.name: path.read_bytes() for path in results(tmp_path / "out")}
    asked, open_pool = [], grade_module.open_pool

    @contextlib.contextmanager
    def spied(*args):
        with open_pool(*args) as graded:

            def spy(tasks, setup):
                found = list(tasks)
                asked.extend(task.student for task in found)
                return graded(found, setup)

            yield spy

    monkeypatch.setattr(grade_module, "open_pool", spied)
    grade(tmp_path / "class")
    assert asked == []
    assert {path.name: path.read_bytes() for path in results(tmp_path / "out")} == before
    put(tmp_path, "class/s2/causal_mask.py", FINE + "\n# changed\n")
    grade(tmp_path / "class")
    assert asked == ["s2"]


def test_a_damaged_journal_is_said(grade, tmp_path):
    put(tmp_path, "class/s1/causal_mask.py")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "journal.sqlite").write_bytes(b"not a database" * 100)
    with pytest.raises(UserError, match="Remove it, and run the same command again"):
        grade(tmp_path / "class")


def test_reports_wait_for_one_before_them(tmp_path, monkeypatch):
    """The first student's is graded last, as that of who is in doubt; the table is in order."""
    quick = Quick(tmp_path, monkeypatch)
    students = [f"s{n:03}" for n in range(30)]
    for student in students:
        quick.work(student, one="a=1 b=1")

    @contextlib.contextmanager
    def last_first(workers):
        def grade(tasks, setup):
            first, *others = list(tasks)
            for task in [*others, first]:
                report = quick._report(task.sources[0])
                yield task, {"one": msgspec.json.encode(report)}

        yield grade

    monkeypatch.setattr(grade_module, "open_pool", last_first)
    assert [row.student for row in quick.grade("one").rows] == students
