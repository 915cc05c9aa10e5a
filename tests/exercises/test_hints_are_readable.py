"""Hints are short, and a first-year student reads them with ease."""

import re
import statistics

import pytest

from autograder.course.own_modules import importable
from autograder.diagnosis.hints import HINTS
from autograder.diagnosis.mistakes import load_module, read_mistakes
from autograder.grading.check_collection import checks_of

MOST_WORDS = 80
USUAL_GRADE, HIGHEST_GRADE = 6, 13  # years of school; first-year students have twelve or more
FORMULA = re.compile(r"`[^`]*`|\$[^$]*\$|\S*[\[\](){}_=@√⊤ᵀ·…]\S*|\b\w*\d\w*\b")
SENTENCE = re.compile(r"[.?!:;](?:\s|$)")
SYLLABLE = re.compile(r"[aeiouy]+")


def grade(text):
    """The years of school that a text asks for: Kincaid et al. 1975; formulas are left out."""
    plain = FORMULA.sub("x", text)
    words = re.findall(r"[A-Za-z']+", plain)
    sentences = max(1, len(SENTENCE.findall(plain)))
    syllables = sum(max(1, len(SYLLABLE.findall(w.lower().removesuffix("e")))) for w in words)
    return 0.39 * len(words) / sentences + 11.8 * syllables / max(1, len(words)) - 15.59


@pytest.fixture(scope="module")
def hints(course):
    exercises = [exercise.name for exercise in course.content.exercises]
    found = {
        (exercise, hint)
        for exercise, checks in checks_of(course, exercises).items()
        for check in checks
        for hint in check.hints
    }
    found |= {("any", hint) for hints in HINTS.values() for hint in hints}
    with importable(course):
        for exercise in course.content.exercises:
            if exercise.questions:
                continue
            known = read_mistakes(load_module(course.content.reference, exercise.name))
            for recipe in known.recipes.values():
                found |= {(exercise.name, h) for each in recipe.misconceptions for h in each.hints}
    return sorted(found)


def test_there_are_many(hints):
    assert len(hints) > 200


def test_a_check_has_at_most_the_three_hints_that_a_kit_shows(course):
    exercises = [exercise.name for exercise in course.content.exercises]
    found = checks_of(course, exercises)
    assert [
        check.name for checks in found.values() for check in checks if len(check.hints) > 3
    ] == []


def test_they_end_as_sentences_or_code(hints):
    cut = [hint for _, hint in hints if hint[0].isupper() and hint[-1] not in ".?!)…`\"'"]
    assert cut == []


def test_they_are_short(hints):
    assert [hint for _, hint in hints if len(hint.split()) > MOST_WORDS] == []


def test_they_read_with_ease(hints):
    grades = {hint: grade(hint) for _, hint in hints}
    assert statistics.median(grades.values()) < USUAL_GRADE
    assert [hint for hint, years in grades.items() if years > HIGHEST_GRADE] == []


def test_the_measure_tells_an_easy_text_from_a_hard_one():
    assert grade("Look at the last line. Which axis is it?") < 4
    assert (
        grade(
            "Consider whether the normalisation denominators, which subsequently determine "
            "attention distributions, incorporate appropriately broadcastable dimensionality."
        )
        > 18
    )
