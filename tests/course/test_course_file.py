"""`course.yml`: a mistake in it names the line, the field and what was expected."""

import pytest

from autograder.course.course_file import find_course, load_course
from autograder.course.errors import UserError

GOOD = """\
title: Tiny
hints: homework
exercises:
  - name: first
    title: First
    points: 3
  - name: second
    title: Second
    points: 2.5
    needs: torch
    forbids: [torch.softmax]
    limits: {call_seconds: 1}
assignments:
  - name: week-1
    title: Week 1
    due: 2027-01-31T23:59:00+00:00
    exercises: [first, second]
"""


def write(folder, text):
    path = folder / "course.yml"
    path.write_text(text)
    return path


def test_a_good_file(tmp_path):
    course = load_course(write(tmp_path, GOOD))
    assert list(course.exercises) == ["first", "second"]
    assert course.limits(course.exercise("second")).call_seconds == 1
    assert course.limits(course.exercise("first")).call_seconds == 5
    assert course.assignment("week-1").due.year == 2027


@pytest.mark.parametrize(
    ("due", "read"),
    [
        ("2027-01-31T23:59+02:00", "2027-01-31T23:59:00+02:00"),
        ("'2027-01-31 23:59Z'", "2027-01-31T23:59:00+00:00"),
        ("2027-01-31T23:59", "2027-01-31T23:59:00+00:00"),
        ("2027-01-31 23:59:00", "2027-01-31T23:59:00+00:00"),
    ],
)
def test_deadlines_as_people_write_them(tmp_path, due, read):
    text = GOOD.replace("2027-01-31T23:59:00+00:00", due)
    course = load_course(write(tmp_path, text))
    assert course.assignment("week-1").due.isoformat() == read


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("points: 3", "points: ten", "line 6, field `exercises[0].points`: expected `float`, got"),
        ("points: 3", "points: -3", "line 6, field `exercises[0].points`: expected `float` > 0"),
        ("points: 3", "pionts: 3", "line 6: unknown field `pionts`; did you mean `points`?"),
        (
            "needs: torch",
            "needs: jax",
            "line 10, field `exercises[1].needs`: expected one of numpy, torch",
        ),
        (
            "hints: homework",
            "hints: none",
            "line 2, field `hints`: expected one of practice, homework, exam",
        ),
        ("name: first", "name: 1st", "line 4, field `exercises[0].name`: expected `str` matching"),
        ("name: second", "name: first", "line 7: the exercise `first` is listed twice"),
        (
            "[first, second]",
            "[first, third]",
            "line 17, field `assignments[0].exercises`: expected",
        ),
        ("title: Tiny", "", "line 2: object missing required field `title`"),
        ("call_seconds: 1", "call_seconds: 0", "line 12, field `exercises[1].limits.call_seconds`"),
        (
            "2027-01-31",
            "2027-13-31",
            "line 16, field `assignments[0].due`: expected a date and time",
        ),
        (
            "2027-01-31T23:59:00+00:00",
            "2027-01-31",
            "line 16, field `assignments[0].due`: expected a date and time",
        ),
        ("title: Tiny", "title: [", "is not valid YAML"),
        ("title: Tiny", "title: a: b", "line 1: this is not valid YAML"),
    ],
)
def test_mistakes(tmp_path, old, new, said):
    with pytest.raises(UserError) as caught:
        load_course(write(tmp_path, GOOD.replace(old, new, 1)))
    assert said in str(caught.value)
    assert "course.yml" in str(caught.value)


@pytest.mark.parametrize("text", ["", "[]", "just words", "- a\n- b"])
def test_files_that_are_no_course(tmp_path, text):
    with pytest.raises(UserError, match="expected fields such as"):
        load_course(write(tmp_path, text))


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(UserError, match="cannot be read"):
        load_course(tmp_path / "course.yml")
    (tmp_path / "course.yml").write_bytes(b"title: \xff\xfe")
    with pytest.raises(UserError, match="not UTF-8"):
        load_course(tmp_path / "course.yml")


def test_names_that_are_not_there(tmp_path):
    course = load_course(write(tmp_path, GOOD))
    with pytest.raises(UserError, match="Did you mean first"):
        course.exercise("frist")
    with pytest.raises(UserError, match="It has: week-1"):
        course.assignment("week-2")


def test_the_nearest_course_is_found(tmp_path, root):
    write(tmp_path, GOOD)
    (tmp_path / "a" / "b").mkdir(parents=True)
    assert find_course(tmp_path / "a" / "b").title == "Tiny"
    assert find_course(root / "tests").root == root


def test_elsewhere_the_environment_names_the_course(tmp_path, root, monkeypatch):
    (tmp_path / "home").mkdir()
    (tmp_path / "course").mkdir()
    (tmp_path / "course" / "course.yml").write_text(GOOD)
    monkeypatch.setenv("AUTOGRADER_COURSE", str(tmp_path / "course"))
    assert find_course(tmp_path / "home").title == "Tiny"
    monkeypatch.setenv("AUTOGRADER_COURSE", str(tmp_path / "nowhere"))
    with pytest.raises(UserError, match="nowhere"):
        find_course(tmp_path / "home")


def test_outside_every_course_nothing_is_graded_as_part_of_the_kits(tmp_path, root, monkeypatch):
    monkeypatch.delenv("AUTOGRADER_COURSE", raising=False)
    with pytest.raises(UserError, match="not in a course.*--course FOLDER.*autograder new course"):
        find_course(tmp_path)
    assert find_course(tmp_path, root / "tests").root == root  # a file elsewhere, checked from here
    monkeypatch.setenv("AUTOGRADER_COURSE", str(root))
    with pytest.raises(UserError, match="not in a course"):
        find_course(root, named=tmp_path)


def test_the_kits_own_course_is_sound(course):
    for name in course.exercises:
        assert course.checks_file(name).is_file()
        assert (course.root / "solutions" / f"{name}.py").is_file()
