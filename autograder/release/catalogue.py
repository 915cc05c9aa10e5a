"""The misconceptions of a released course: what is recorded of them."""

from autograder.course import Course
from autograder.diagnosis.mistakes import Mistakes
from autograder.diagnosis.replay import Replay
from autograder.grading.diagnose import Catalogue


class RecordedCatalogue(Catalogue):
    """Names from records, in place of replays."""

    def __init__(self, course: Course) -> None:
        super().__init__(course.content.reference)
        self.course = course

    def mistakes(self, exercise: str) -> Mistakes:  # noqa: ARG002
        """Nothing that could be run."""
        return Mistakes()

    def replay(self, exercise: str, function: str) -> Replay | None:  # noqa: ARG002
        """What is recorded of a function's misconceptions."""
        return None
