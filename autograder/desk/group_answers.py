"""Answers of a group's submissions to the probes of a recipe, computed in the sandbox."""

import contextlib
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
from autograder.sandbox.session import WorkerSession
from autograder.sandbox.workers import Workers
from autograder.submission.source import Source


class GroupAnswers(msgspec.Struct):
    """A function, its replay, and the outcomes of submissions that have the group's answers."""

    function: str
    replay: Replay
    outcomes: tuple[tuple[Outcome, ...], ...]
    sources: tuple[Source, ...]


def answers_of_group(
    course: Course, exercise: Exercise, group: str, sources: Sequence[Source], children: Children
) -> GroupAnswers:
    """Run these sources on all probes of the group's function.

    The packages of the course must be importable.

    Raises:
        UserError: no source gives the group's answers, because the files changed after grading.
    """
    catalogue = Catalogue(course.content.reference)
    for function in catalogue.recipes(exercise.name):
        replay = catalogue.replay(exercise.name, function)
        assert replay is not None
        found = []
        for source in sources:
            session = WorkerSession(
                Workers(source, exercise.needs, course.limits(exercise), children)
            )
            with contextlib.closing(session), contextlib.suppress(Stopped):
                if outcomes := _outcomes(Submission(session.fresh()), replay, group):
                    found.append((source, outcomes))
        if found:
            alike, answers = zip(*found, strict=True)
            return GroupAnswers(function, replay, answers, alike)
    raise UserError(
        f"In {exercise.name}, no submission has the answers of group {group} any more. Grade the "
        f"class again. Then open the groups again."
    )


def _outcomes(submission: Submission, replay: Replay, group: str) -> tuple[Outcome, ...]:
    """Run a submission on all probes. If the first answers are not the group's, return ().

    Raises:
        Stopped: the submission does not answer.
    """
    first = len(replay.probes(1))
    found: list[Outcome] = []
    for probe in replay.probes(DRAWS):
        if len(found) == first and group_id(found) != group:
            return ()
        found.append(answer_to(submission, replay.recipe, probe).outcome)
    return tuple(found)


def are_one_mistake(answers: GroupAnswers) -> bool:
    """Return whether all answers are equal up to rounding, so that they are one mistake."""
    probes = answers.replay.probes(DRAWS)
    first = answers.outcomes[0]
    return all(
        same(mine, its, probe.condition)
        for other in answers.outcomes[1:]
        for mine, its, probe in zip(other, first, probes, strict=True)
    )
