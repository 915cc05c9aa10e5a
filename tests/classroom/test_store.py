"""Marks given on the desk: nothing that was acknowledged is lost, and the table loses nothing."""

import contextlib
import resource
import sqlite3

import pytest

from autograder.classroom.marking import Overtaken
from autograder.classroom.marks import Marks
from autograder.classroom.store import STORE, GivenMark, read_store, write_store
from autograder.course.errors import UserError
from tests.classroom.words import Words

AT = "2026-11-22T12:00:00+00:00"


@pytest.fixture
def words(tmp_path):
    made = Words(tmp_path)
    for student in ("ann", "bob", "cem"):
        made.answer(student, f"The answer of {student}.")
    made.grade()
    return made


def _points(words):
    return [points for _, points in sorted(words.grade()[0].items())]


def test_a_mark_of_the_desk_becomes_the_grade_and_stands_in_the_table(words):
    words.mark(words.desk(), "bob", 3, "=well said")
    assert _points(words) == [None, 3, None]
    row = words.rows()["bob", "why"]
    assert (row["points"], row["comment"]) == ("3", "'=well said")
    assert _points(words) == [None, 3, None]


def test_to_read_makes_no_file(words):
    words.type_in("ann", "2")
    (words.out / STORE).unlink()
    desk = words.desk()
    assert desk.standing(desk.answers()["ann", "essay", "why"]).mark.points == 2
    assert not (words.out / STORE).exists()


def test_what_is_entered_last_counts_by_either_way(words):
    desk = words.desk()
    words.type_in("ann", "2")
    assert desk.standing(desk.answers()["ann", "essay", "why"]).mark.points == 2
    words.mark(desk, "ann", 3)
    assert _points(words) == [3, None, None]
    words.type_in("ann", "2")  # as it was before, and yet newer
    assert _points(words) == [2, None, None]
    words.mark(desk, "ann", 1)
    assert _points(words) == [1, None, None]


def test_two_marks_that_nobody_can_order_are_for_a_person(words):
    words.mark(words.desk(), "ann", 3)
    words.type_in("ann", "2")
    points, notes = words.grade()
    assert points["ann", "why"] is None
    assert any("two marks" in note and "ann" in note for note in notes)
    row = words.rows()["ann", "why"]
    assert (row["points"], row["answer_state"]) == ("2", "two marks")
    standing = words.desk().standing(words.desk().answers()["ann", "essay", "why"])
    assert (standing.before.points, standing.other.points) == (3, 2)
    words.mark(words.desk(), "ann", 2)
    assert _points(words) == [2, None, None]
    assert words.rows()["ann", "why"]["answer_state"] == ""


def test_the_same_mark_by_both_ways_is_one(words):
    words.mark(words.desk(), "ann", 3)
    words.type_in("ann", "3,0")
    assert _points(words) == [3, None, None]


def test_a_mark_given_while_grade_runs_counts_in_the_next_run(words):
    running = Marks(words.out, words.course, words.course.exercises.values())
    words.mark(words.desk(), "ann", 3)
    assert words.finish(running)[0]["ann", "why"] is None
    assert _points(words) == [3, None, None]


def test_a_mark_corrected_while_grade_runs_is_not_taken_back_by_the_table(words):
    words.mark(words.desk(), "ann", 3)
    running = Marks(words.out, words.course, words.course.exercises.values())
    words.mark(words.desk(), "ann", 4)
    words.finish(running)
    assert words.rows()["ann", "why"]["points"] == "3"
    assert _points(words) == [4, None, None]


def test_a_table_that_is_moved_away_loses_no_mark_of_the_desk(words):
    words.mark(words.desk(), "ann", 3)
    words.grade()
    (words.out / "by-hand.csv").unlink()
    assert _points(words) == [3, None, None]


def test_an_answer_that_changed_since_keeps_its_mark_and_does_not_count_it(words):
    desk = words.desk()
    words.mark(desk, "ann", 3, "good")
    words.answer("ann", "Another answer.")
    points, notes = words.grade()
    assert points["ann", "why"] is None
    assert any("answer changed" in note for note in notes)
    standing = desk.standing(desk.answers()["ann", "essay", "why"])
    assert (standing.state, standing.before.points) == ("answer changed", 3)
    words.answer("ann", "The answer of ann.")
    assert _points(words) == [3, None, None]


def test_an_emptied_id_in_the_table_confirms_the_mark_for_the_new_answer(words):
    words.mark(words.desk(), "ann", 3)
    words.grade()
    words.answer("ann", "Another answer.")
    words.grade()
    words.type_in("ann", "3", answer_id="")
    assert _points(words) == [3, None, None]


def test_a_mark_for_what_somebody_has_not_seen_is_refused(words):
    desk = words.desk()
    seen = desk.standing(desk.answers()["ann", "essay", "why"]).token
    words.mark(desk, "ann", 3, by="ann")
    with pytest.raises(Overtaken):
        words.mark(desk, "ann", 1, by="bob", seen=seen)
    words.mark(desk, "ann", 3, by="bob", seen=seen)  # of one mind
    assert _points(words) == [3, None, None]


def test_points_that_cannot_be_are_refused_and_nothing_is_kept(words):
    with pytest.raises(UserError, match="from 0 to 4"):
        words.mark(words.desk(), "ann", 5)
    assert _points(words) == [None, None, None]


def _mark(student, points):
    return GivenMark(student, "essay", "why", "abc", points)


def _rows(folder, query):
    with contextlib.closing(sqlite3.connect(folder / STORE)) as database:
        database.execute(query)
        database.commit()


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE marks SET points = 4",
        "UPDATE marks SET points = 'three'",
        "UPDATE marks SET by = CAST(x'ff' AS TEXT)",
        "UPDATE marks SET seal = 7",
        "DELETE FROM marks",
    ],
)
def test_a_changed_or_removed_row_is_named_and_does_not_count(words, change):
    words.mark(words.desk(), "ann", 3)
    _rows(words.out, change)
    points, notes = words.grade()
    assert points["ann", "why"] is None
    assert f"{STORE}: row 1 is damaged and not counted. Mark it again." in notes


def test_a_link_is_not_followed(words, tmp_path):
    (words.out / STORE).unlink()
    (words.out / STORE).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UserError, match="link"):
        words.grade()
    assert not (tmp_path / "elsewhere").exists()


def test_a_damaged_store_is_refused_and_says_what_to_do(words):
    (words.out / STORE).write_bytes(b"not a database" * 100)
    with pytest.raises(UserError, match="Restore a backup of it, or move it elsewhere"):
        words.grade()


def test_a_full_disk_keeps_no_half_of_a_mark(words):
    words.mark(words.desk(), "ann", 3)
    store = words.out / STORE
    before, limits = store.read_bytes(), resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(before), limits[1]))
    try:
        with pytest.raises(UserError, match="Nothing was saved"):
            words.mark(words.desk(), "bob", 3, "because " * 600)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    with read_store(words.out) as kept:
        assert [key[0] for key in kept.marks().by_answer] == ["ann"]


def test_after_an_error_nothing_is_kept(tmp_path):
    with pytest.raises(ZeroDivisionError), write_store(tmp_path) as store:
        store.add_marks([_mark("ann", 1.0)], "x", AT, "desk")
        raise ZeroDivisionError
    with read_store(tmp_path) as store:
        assert store.marks().by_answer == {}
