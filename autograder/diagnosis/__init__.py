"""Which mistake was made: misconceptions are replayed on the same inputs as the student's code.

A course's `reference.misconceptions.NAME` holds `MISTAKES`: for each function of the exercise, how
it is done and the ways in which it is done wrong. Nothing here knows what the steps mean.
"""

from autograder.diagnosis.family import (
    Change,
    Family,
    Hints,
    Misconception,
    Step,
    chosen,
    constant,
    without,
)
from autograder.diagnosis.mistakes import Mistakes
from autograder.diagnosis.outcome import Comparison
from autograder.diagnosis.recipe import Fact, LibraryObject, Probe, Recipe, Trait

__all__ = [
    "Change",
    "Comparison",
    "Fact",
    "Family",
    "Hints",
    "LibraryObject",
    "Misconception",
    "Mistakes",
    "Probe",
    "Recipe",
    "Step",
    "Trait",
    "chosen",
    "constant",
    "without",
]
