"""Marks given on the desk: nothing that was acknowledged is lost, and the table loses nothing."""

import multiprocessing
import os

import pytest

from autograder.classroom.marking import Overtaken
from autograder.classroom.marks import Marks
from autograder.classroom.store import Act, GivenMark, MarksLog
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


def test_without_the_desk_no_file_is_made(words):
    words.type_in("ann", "2")
    words.grade()
    assert not (words.out / "marks.jsonl").exists()


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
    running = Marks(words.out / "by-hand.csv", words.course, words.course.exercises.values())
    words.mark(words.desk(), "ann", 3)
    assert words.finish(running)[0]["ann", "why"] is None
    assert _points(words) == [3, None, None]


def test_a_mark_corrected_while_grade_runs_is_not_taken_back_by_the_table(words):
    words.mark(words.desk(), "ann", 3)
    running = Marks(words.out / "by-hand.csv", words.course, words.course.exercises.values())
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


def _write(folder, by, count):
    log = MarksLog(folder)
    for number in range(count):
        with log.held() as pen:
            pen.add([Act(by, AT, (_mark(f"{by}{number}", 1.0),))])


def test_two_processes_write_at_once_without_loss(tmp_path):
    context = multiprocessing.get_context("fork" if os.name != "nt" else "spawn")
    both = [context.Process(target=_write, args=(tmp_path, by, 40)) for by in "ab"]
    for each in both:
        each.start()
    for each in both:
        each.join()
    log = MarksLog(tmp_path)
    assert {key[0] for key in log.read()} == {f"{by}{n}" for by in "ab" for n in range(40)}
    assert not log.damaged


@pytest.mark.parametrize("cut", range(1, 60, 7))
def test_a_line_that_was_cut_off_costs_itself_alone(tmp_path, cut):
    log = MarksLog(tmp_path)
    for student in ("ann", "bob"):
        with log.held() as pen:
            pen.add([Act("x", AT, (_mark(student, 2.0),))])
    log.path.write_bytes(log.path.read_bytes()[:-cut])  # as a machine that dies leaves it
    with log.held() as pen:
        pen.add([Act("x", AT, (_mark("cem", 3.0),))])
    log = MarksLog(tmp_path)
    assert {"ann", "cem"} <= {key[0] for key in log.read()}
    assert len(log.damaged) == (1 if cut > 1 else 0)


def test_a_changed_line_is_named_and_does_not_count(words):
    words.mark(words.desk(), "ann", 3)
    path = words.out / "marks.jsonl"
    path.write_bytes(path.read_bytes().replace(b'"points":3', b'"points":4'))
    points, notes = words.grade()
    assert points["ann", "why"] is None
    assert any("damaged and not counted: line 1" in note for note in notes)


def test_a_link_is_not_followed(words, tmp_path):
    (words.out / "marks.jsonl").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UserError, match="link"):
        words.grade()
    assert not (tmp_path / "elsewhere").exists()


def test_a_full_disk_keeps_no_half_of_a_mark(words, monkeypatch):
    words.mark(words.desk(), "ann", 3)
    write = os.write

    def half(descriptor, data):
        if len(data) < 20:
            raise OSError(28, "No space left on device")
        return write(descriptor, data[: len(data) // 2])

    before = (words.out / "marks.jsonl").read_bytes()
    monkeypatch.setattr("autograder.classroom.store.os.write", half)
    with pytest.raises(UserError, match="were not kept"):
        words.mark(words.desk(), "bob", 3)
    assert (words.out / "marks.jsonl").read_bytes() == before
