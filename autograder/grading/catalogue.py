"""The misconceptions of a released course: what is recorded of them."""

from autograder.course import Course
from autograder.diagnosis.mistakes import Mistakes
from autograder.diagnosis.replay import Replay
from autograder.grading.diagnose import Catalogue
from autograder.recorded.by_numbers import RecordedReplay
from autograder.recorded.known import FOLLOWING, KnownFunction, Names
from autograder.recorded.packing import FOLDER, read_packed


def catalogue_of(course: Course) -> Catalogue:
    """The course's misconceptions: replayed, or of a released course, recorded."""
    if course.content.released is not None:
        return RecordedCatalogue(course)
    return Catalogue(course.content.reference)


class RecordedCatalogue(Catalogue):
    """Names from records, in place of replays."""

    def __init__(self, course: Course) -> None:
        super().__init__(course.content.reference)
        self.folder = course.root / course.content.reference / FOLDER
        self._functions: dict[str, dict[str, KnownFunction]] = {}

    def mistakes(self, exercise: str) -> Mistakes:  # noqa: ARG002
        """Nothing that could be run."""
        return Mistakes()

    def replay(self, exercise: str, function: str) -> Replay | None:
        """What is recorded of a function's misconceptions."""
        key = exercise, function
        if key not in self._replays:
            found = self._recorded(exercise).get(function)
            if found is None:
                return None
            self._replays[key] = RecordedReplay(found, self.reference)
        return self._replays[key]

    def _recorded(self, exercise: str) -> dict[str, KnownFunction]:
        if exercise not in self._functions:
            path = self.folder / f"{exercise}{FOLLOWING}"
            names = read_packed(path, Names) if path.is_file() else Names([])
            self._functions[exercise] = {each.name: each for each in names.functions}
        return self._functions[exercise]
