"""What the checks are worth that a released course tells of, whether or not there is any work."""

from autograder.course import Course, Exercise
from autograder.recorded.packing import Recorded, read_packed
from autograder.recorded.playback import records_file


def told_points(course: Course, exercise: Exercise) -> dict[str, float] | None:
    """The points of each check of an exercise that can be told of in a released course, by name.

    None of a kit that was made before this was recorded.

    Raises:
        UserError: the records cannot be read.
    """
    record = read_packed(records_file(course, exercise.name), Recorded)
    if not record.weights:
        return None
    whole = sum(record.weights.values()) + sum(check.weight for check in record.hidden)
    share = 0.0 if exercise.questions else exercise.points / whole
    return {
        name: round(weight * share, 2)
        for name, weight in record.weights.items()
        if name not in record.untold
    }
