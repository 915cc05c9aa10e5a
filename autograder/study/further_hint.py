"""What to say where one hint more was asked for, and there is none."""

from autograder.course import HintPolicy
from autograder.report.hints import Attempts, first_failing, next_step
from autograder.report.model import ExerciseReport

NO_HINTS: dict[HintPolicy, str] = {
    "homework": "In this course the next hint comes with a new attempt that fails the same way.",
    "exam": "In this course there are no hints.",
}
NONE = "There is no hint for this one."
LAST = "That was the last hint."


def no_further_hint(
    before: Attempts, full: ExerciseReport, policy: HintPolicy, values: str, where: str
) -> str:
    """Why no further hint is shown, and what else helps; nothing where one is, or none is needed.

    `before` is what had been shown of the exercise until then; `values` says how all values are
    shown, and `where` which file has the lesson.
    """
    first = first_failing(full)
    if first is None:
        return ""
    if policy != "practice":
        return NO_HINTS[policy]
    seen = before.checks.get(first.name)
    now = next_step(before, full, policy, asked=True).checks[first.name]
    if first.hints and seen != now:
        return ""
    lesson = f"the lesson above your code in {where}" if where else "the lesson"
    helps = f"What else helps: {values}, {lesson}, or a person to ask."
    return f"{LAST if first.hints else NONE} {helps}"
