"""Two courses in one process, each with a package `reference`, do not mix."""

import importlib
import sys
import threading

import pytest

from autograder.course.course_file import load_course
from autograder.course.own_modules import importable
from autograder.grading.judge import Judge
from autograder.submission.source import Source
from autograder.worker.messages import Unit

CHECK = """
import pytest
from reference.limits import LARGEST
from solutions.counting import largest

@pytest.mark.check("The largest")
def test_largest(submission, reference):
    from reference import limits  # as late as a check can ask

    assert submission.largest() == reference.limits.LARGEST == limits.LARGEST == LARGEST == largest()
"""


def make_course(folder, largest):
    (folder / "reference" / "checks").mkdir(parents=True)
    (folder / "course.yml").write_text(
        "title: T\nexercises: [{name: counting, title: Counting, points: 1}]\n"
    )
    (folder / "reference" / "__init__.py").write_text("")
    (folder / "reference" / "limits.py").write_text(f"LARGEST = {largest}\n")
    (folder / "solutions").mkdir()
    (folder / "solutions" / "counting.py").write_text(f"def largest():\n    return {largest}\n")
    (folder / "reference" / "checks" / "test_counting.py").write_text(CHECK)
    return load_course(folder / "course.yml")


def points(judge, answer):
    text = f"def largest(): return {answer}"
    return judge.run(Source("counting", "c.py", (Unit("c.py", text),))).report.points


def test_two_judges_at_once_ask_each_their_own_course(tmp_path):
    import reference

    small, large = make_course(tmp_path / "a", 10), make_course(tmp_path / "b", 99)
    path = list(sys.path)
    with (
        Judge(small, small.content.exercises) as one,
        Judge(large, large.content.exercises) as other,
    ):
        assert [points(one, 10), points(other, 99), points(one, 10)] == [1, 1, 1]
        assert [points(one, 99), points(other, 10)] == [0, 0]
    assert sys.modules["reference"] is reference and sys.path == path
    assert "reference.limits" not in sys.modules


def test_for_another_course_a_thread_waits(tmp_path):
    courses = [make_course(tmp_path / name, value) for name, value in (("a", 1), ("b", 2))]
    found = []

    def look():
        with importable(courses[1]):
            found.append(importlib.import_module("reference.limits").LARGEST)

    with importable(courses[0]), importable(courses[0]):
        thread = threading.Thread(target=look)
        thread.start()
        assert importlib.import_module("reference.limits").LARGEST == 1
        thread.join(0.05)
        assert found == []
    thread.join(10)
    assert found == [2]


def test_a_package_that_a_course_lacks_is_not_taken_from_elsewhere(tmp_path):
    (tmp_path / "course.yml").write_text(
        "title: T\nreference: answers\nexercises: [{name: x, title: X, points: 1}]\n"
    )
    (tmp_path / "elsewhere" / "answers").mkdir(parents=True)
    sys.path.append(str(tmp_path / "elsewhere"))
    try:
        with (
            importable(load_course(tmp_path / "course.yml")),
            pytest.raises(ModuleNotFoundError, match="no package answers in"),
        ):
            importlib.import_module("answers")
    finally:
        sys.path.pop()
