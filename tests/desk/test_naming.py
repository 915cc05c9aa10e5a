"""A mistake that was named: found in a step, written as code that does the same, or recorded."""

import dataclasses
import functools
import inspect
import shutil

import msgspec
import pytest

from autograder.authoring.kit_shares import named_by_answers
from autograder.authoring.lint import refuse_errors_in_code
from autograder.course.course_file import load_course
from autograder.course.errors import UserError
from autograder.course.own_modules import importable
from autograder.desk.changed_step import changed_step
from autograder.desk.mistake_file import (
    MistakeText,
    answers_file,
    checked_words,
    code_file,
    file_of,
)
from autograder.desk.naming import GroupAnswers
from autograder.desk.results import UnnamedGroups
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
    """What a recipe's function answers with some steps done otherwise, as a group's answers."""
    replay = Replay(known_mistakes("reference", exercise).recipes[function])
    return answers(replay, Misconception("", "", (), replaces))


def answers(replay, wrong):
    replay.probes(DRAWS)
    outcomes = tuple(replay.outcome(n, (wrong,)) for n in range(len(replay.probes(DRAWS))))
    return GroupAnswers(replay, (outcomes,), ())


@pytest.mark.parametrize(
    ("exercise", "function", "step", "wrong"),
    [
        (
            "word_counts",
            "count_words",
            "counts",
            lambda s: {w: s.words.count(w) + 1 for w in s.words},
        ),
        ("word_counts", "count_words", "words", lambda s: s.text),
        ("spelling", "edit_distance", "edit_distance", None),
    ],
)
def test_a_step_done_wrong_is_found_and_written_as_code_that_does_the_same(
    text_course, exercise, function, step, wrong
):
    if wrong is None:
        right = known_mistakes("reference", exercise).recipes[function].of
        wrong = functools.partial(_one_more, right)
    group = of(exercise, function, **{step: wrong})
    found = changed_step(group.replay, group.outcomes, text_course.root)
    assert found is not None
    text = code_file(exercise, function, checked_words(WORDS), found)
    module = {}
    exec(compile(text, "named", "exec"), module)
    assert module["FUNCTION"] == function
    (made,) = module["NAMED"].misconceptions
    assert (made.id, made.finding) == ("one-more", 'It\'s "one" more. And {so} on \\')
    assert made.hints == ("A?", "B'''", "C #")
    assert all(map(_same_signature, answers(group.replay, made).outcomes[0], group.outcomes[0]))


def _one_more(right, state):
    return right(*(getattr(state, name) for name in inspect.signature(right).parameters)) + 1


def _same_signature(one, other):
    return one.signature == other.signature and list(one.numbers) == list(other.numbers)


def test_what_no_small_change_does_has_no_step(text_course):
    group = of("word_counts", "count_words", counts=lambda s: {w[::-1]: 7 for w in s.words})
    assert changed_step(group.replay, group.outcomes, text_course.root) is None


def test_recorded_answers_are_named_alone_and_kept(text_course, tmp_path):
    group = of("word_counts", "count_words", counts=lambda s: {w[::-1]: 7 for w in s.words})
    recipe = group.replay.recipe
    data = answers_file(checked_words(WORDS), group.replay, group.outcomes[0])
    (tmp_path / "x.json").write_bytes(data)
    named = read_answers(tmp_path / "x.json")
    assert not out_of_date(recipe, named)
    known = fingerprint(recipe, named)
    replay = Replay(dataclasses.replace(recipe, fingerprints=(known,)))
    assert named_by_answers(replay, known) == {"one-more"}
    assert not any(known in pair for pair in replay.pairs)
    other = dataclasses.replace(recipe, probes=lambda rng: [("a",), ("b",)])
    assert out_of_date(other, named)
    empty = fingerprint(other, named)
    assert (
        named_by_answers(Replay(dataclasses.replace(recipe, fingerprints=(empty,))), empty) == set()
    )


def test_answers_that_differ_or_are_drawn_are_not_recorded(text_course):
    group = of("word_counts", "count_words", counts=lambda s: dict.fromkeys(s.words, 7))
    other = of("word_counts", "count_words", counts=lambda s: dict.fromkeys(s.words, 7.001))
    both = GroupAnswers(group.replay, (*group.outcomes, *other.outcomes), ())
    assert group_id(group.outcomes[0]) == group_id(other.outcomes[0])
    assert "two mistakes" in both.why_not_recorded()
    drawn = dataclasses.replace(group.replay.recipe, comparison=Comparison(spread=lambda s: (0, 1)))
    of_drawn = GroupAnswers(Replay(drawn), group.outcomes, ())
    assert "random" in of_drawn.why_not_recorded()


@pytest.mark.parametrize("name", ["", "Two Words", "../up", "a--b", "-a", "x" * 41, "é"])
def test_what_is_no_name_is_refused(name):
    with pytest.raises(UserError, match="cannot name a mistake"):
        checked_words(MistakeText(name, "F.", ("a", "b", "c")))


@pytest.mark.parametrize("hints", [("a", "b"), ("a", "b", " "), ("a", "b", "x" * 401)])
def test_three_hints_are_asked_for(hints):
    with pytest.raises(UserError):
        checked_words(MistakeText("name", "F.", hints))


def test_a_name_that_is_taken_is_refused(tmp_path):
    course = Words(tmp_path).course
    path = file_of(course, "essay", "for", True)
    assert path.name == "for_.py"
    path.parent.mkdir(parents=True)
    path.write_text("")
    with pytest.raises(UserError, match="exists already"):
        file_of(course, "essay", "for", False)


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
    groups = UnnamedGroups()
    for report in reports:
        groups.add(report)
    first, second = groups.largest()
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
