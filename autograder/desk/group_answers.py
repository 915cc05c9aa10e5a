"""What some of a group's work answers to a recipe's probes, asked in the sandbox."""

from collections.abc import Sequence

import msgspec

from autograder.checks.proxy import Submission
from autograder.course.course_file import Course, Exercise
from autograder.course.errors import UserError
from autograder.diagnosis.mistakes import DRAWS
from autograder.diagnosis.outcome import Outcome, group_id, same
from autograder.diagnosis.replay import Replay
from autograder.grading.diagnoses import Catalogue, Stopped, answer_to
from autograder.sandbox.child import Children
from autograder.sandbox.session import open_session
from autograder.submission.source import Source


class GroupAnswers(msgspec.Struct):
    """A function, its replay, and the outcomes of each of those whose answers are alike."""

    function: str
    replay: Replay
    outcomes: tuple[tuple[Outcome, ...], ...]
    sources: tuple[Source, ...]


def answers_of_group(
    course: Course, exercise: Exercise, group: str, sources: Sequence[Source], children: Children
) -> GroupAnswers:
    """Ask these sources about all probes of the function that the group is about.

    The course's packages have to be importable.

    Raises:
        UserError: none of them answers as the group did, so they are not what was graded.
    """
    catalogue = Catalogue(course.content.reference)
    for function in catalogue.recipes(exercise.name):
        replay = catalogue.replay(exercise.name, function)
        assert replay is not None
        asked = _Asked(course, exercise, replay, children)
        alike = [(each, found) for each in sources if (found := asked.outcomes(each, group))]
        if alike:
            outcomes = tuple(found for _, found in alike)
            return GroupAnswers(function, replay, outcomes, tuple(each for each, _ in alike))
    raise UserError(
        f"None of the work that was read answers {exercise.name} as the group {group} did. Was it "
        f"handed in anew since? Grade the class again, and look at its groups then."
    )


class _Asked:
    """One function's probes, for one source after the other."""

    def __init__(
        self, course: Course, exercise: Exercise, replay: Replay, children: Children
    ) -> None:
        self.course, self.exercise = course, exercise
        self.replay, self.children = replay, children

    def outcomes(self, source: Source, group: str) -> tuple[Outcome, ...]:
        """What it answers; nothing where that is not what the group answers."""
        limits = self.course.limits(self.exercise)
        client = open_session(source, self.exercise.needs, limits, self.children)
        first = len(self.replay.probes(1))
        found: list[Outcome] = []
        try:
            submission = Submission(client.fresh())
            for probe in self.replay.probes(DRAWS):
                if len(found) == first and group_id(found) != group:
                    return ()
                found.append(answer_to(submission, self.replay.recipe, probe).outcome)
        except Stopped:
            return ()
        finally:
            client.close()
        return tuple(found)


def are_one(answers: GroupAnswers) -> bool:
    """Whether all answer the same, as far as rounding lets one tell: then they are one mistake."""
    probes = answers.replay.probes(DRAWS)
    first = answers.outcomes[0]
    return all(
        same(mine, its, probe.condition)
        for other in answers.outcomes[1:]
        for mine, its, probe in zip(other, first, probes, strict=True)
    )
