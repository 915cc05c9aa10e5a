"""A mistake that was named: its results are recorded, and named alone."""

import dataclasses
import shutil

import msgspec
import pytest

from autograder.authoring.lint import refuse_errors_in_code
from autograder.authoring.verify import named_by_answers
from autograder.classroom.records import REPORTS
from autograder.course.course_file import load_course
from autograder.course.errors import UserError
from autograder.course.own_modules import importable
from autograder.desk.naming import MistakeText, answers_file, checked_words, new_file
from autograder.desk.results import ClassResults
from autograder.diagnosis.mistakes import (
    DRAWS,
    fingerprint,
    known_mistakes,
    out_of_date,
    read_answers,
)
from autograder.diagnosis.outcome import Comparison, group_id
from autograder.diagnosis.recipe import Misconception
from autograder.diagnosis.replay import Replay
from autograder.report.model import CheckReport, ExerciseReport
from tests.classroom.words import Words
from tests.conftest import ROOT

WORDS = MistakeText("one-more", 'It\'s "one" more.\nAnd {so} on \\', ("A?", "B'''", "C\n#"))


@pytest.fixture
def text_course():
    course = load_course(ROOT / "examples/courses/text/course.yml")
    with importable(course):
        yield course


def of(exercise, function, **replaces):
    """A recipe's replay, and what its function answers with some steps done otherwise."""
    replay = Replay(known_mistakes("reference", exercise).recipes[function])
    wrong, count = Misconception("", "", (), replaces), len(replay.probes(DRAWS))
    return replay, tuple(replay.outcome(n, (wrong,)) for n in range(count))


def test_recorded_answers_are_named_alone_and_kept(text_course, tmp_path):
    replay, outcomes = of(
        "word_counts", "count_words", counts=lambda s: {w[::-1]: 7 for w in s.words}
    )
    recipe = replay.recipe
    data = answers_file(checked_words(WORDS), replay, [outcomes])
    (tmp_path / "x.json").write_bytes(data)
    named = read_answers(tmp_path / "x.json")
    assert (named.id, named.finding) == ("one-more", 'It\'s "one" more. And {so} on \\')
    assert named.hints == ("A?", "B'''", "C #")
    assert not out_of_date(recipe, named)
    known = fingerprint(recipe, named)
    replay = Replay(dataclasses.replace(recipe, fingerprints=(known,)))
    assert named_by_answers(replay, known) == {"one-more"}
    assert not any(known in pair for pair in replay.pairs)
    with pytest.raises(UserError, match="known mistake one-more"):
        answers_file(MistakeText("other", "F.", ("a", "b", "c")), replay, [outcomes])
    other = dataclasses.replace(recipe, probes=lambda rng: [("a",), ("b",)])
    assert out_of_date(other, named)
    empty = fingerprint(other, named)
    assert (
        named_by_answers(Replay(dataclasses.replace(recipe, fingerprints=(empty,))), empty) == set()
    )


def test_answers_that_differ_or_are_drawn_or_have_a_taken_name_are_not_recorded(text_course):
    replay, one = of("word_counts", "count_words", counts=lambda s: dict.fromkeys(s.words, 7))
    _, other = of("word_counts", "count_words", counts=lambda s: dict.fromkeys(s.words, 7.001))
    assert group_id(one) == group_id(other)
    with pytest.raises(UserError, match="two mistakes"):
        answers_file(WORDS, replay, [one, other])
    taken = MistakeText(replay.recipe.misconceptions[0].id, "F.", ("a", "b", "c"))
    with pytest.raises(UserError, match="already has a mistake"):
        answers_file(taken, replay, [one])
    drawn = dataclasses.replace(replay.recipe, comparison=Comparison(spread=lambda s: (0, 1)))
    with pytest.raises(UserError, match="random"):
        answers_file(WORDS, Replay(drawn), [one])


@pytest.mark.parametrize("name", ["", "Two Words", "../up", "a--b", "-a", "x" * 41, "é"])
def test_what_is_no_name_is_refused(name):
    with pytest.raises(UserError, match="cannot name a mistake"):
        checked_words(MistakeText(name, "F.", ("a", "b", "c")))


@pytest.mark.parametrize("hints", [("a", "b"), ("a", "b", " "), ("a", "b", "x" * 401)])
def test_three_hints_are_asked_for(hints):
    with pytest.raises(UserError):
        checked_words(MistakeText("name", "F.", hints))


@pytest.mark.parametrize("suffix", [".py", ".json"])
def test_a_file_that_is_there_is_not_replaced(tmp_path, suffix):
    course = Words(tmp_path).course
    path = new_file(course, "essay", "one-more")
    assert path.name == "one_more.json"
    path.parent.mkdir(parents=True)
    path.with_suffix(suffix).write_text("")
    with pytest.raises(UserError, match="exists already"):
        new_file(course, "essay", "one-more")


def test_groups_are_gathered_over_a_class_the_largest_first(tmp_path):
    words = Words(tmp_path)
    for student, group in (
        ("ann", "1" * 10),
        ("bob", "2" * 10),
        ("cem", "2" * 10),
        ("dia", "../<b>"),
    ):
        words.answer(student, group)
    reports = []
    for report in words.reports():
        text = report.exercises[0].answers[0].text
        checks = tuple(
            CheckReport(
                name=n,
                title=n,
                points=0,
                max_points=2,
                outcome="failed",
                finding=f"of {n}",
                group=text,
            )
            for n in "ab"
        )
        exercise = ExerciseReport(
            name="e", title="E", status="graded", points=0, max_points=4, checks=checks
        )
        reports.append(msgspec.structs.replace(report, exercises=(exercise,)))
    lines = [msgspec.json.encode(report) + b"\n" for report in reports]
    (words.out / REPORTS).write_bytes(b"".join(lines))
    first, second = ClassResults(words.out, words.course).unnamed
    assert (first.id, list(first.students), first.points) == ("2" * 10, ["bob", "cem"], 8)
    assert first.checks == [("a", 2), ("b", 2)]
    assert first.said == [("of a", 2), ("of b", 2)]
    assert list(second.students) == ["ann"]


def test_a_module_that_was_named_and_broken_by_hand_is_a_slip(tmp_path):
    shutil.copytree(ROOT / "examples/courses/text", tmp_path / "course")
    named = tmp_path / "course/reference/misconceptions/named/word_counts"
    named.mkdir(parents=True)
    (named / "broken.py").write_text("NAMED = Family\n")
    course = load_course(tmp_path / "course/course.yml")
    with pytest.raises(
        UserError, match=r"mistakes of word_counts that were named on the desk cannot"
    ):
        refuse_errors_in_code(course, [course.exercise("word_counts")])
