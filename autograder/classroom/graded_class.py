"""A class's results, and whether they count."""

from collections.abc import Sequence

from autograder.classroom.grade_difference import GradeDifference
from autograder.course import Exercise
from autograder.report.overview import Overview


class GradedClass(Overview):
    """The overview of a run, what it changes, and whether that is in force.

    `version` is the number under which it was put in force, 0 where nothing was new; `difference`
    is that to what was in force before, None where nothing was.
    """

    def __init__(
        self, course: str, exercises: Sequence[Exercise], notes: Sequence[str] = ()
    ) -> None:
        super().__init__(course, exercises, notes)
        self.in_force = True
        self.version = 0
        self.difference: GradeDifference | None = None
