"""Whether what was said of a mutant is true: asked of calls that no examination has seen."""

from collections.abc import Sequence

from autograder.checks.proxy import Submission
from autograder.course.text import printable
from autograder.diagnosis import facts
from autograder.diagnosis.examination import IN_OTHER_CALLS, SEEN, SOMETHING_ELSE, TWO, two_reasons
from autograder.diagnosis.kept_state import REMEMBERS
from autograder.diagnosis.observations import Answer, kinds_of_calls, observe
from autograder.diagnosis.recipe import Probe, Recipe
from autograder.diagnosis.replay import Replay, Wrong, both
from autograder.grading.diagnoses import Catalogue, Stopped, answer_to
from autograder.report.model import Diagnosis
from autograder.sandbox.session import WorkerSession

FRESH = 2  # draws of calls beyond those of an examination
FACTS = (REMEMBERS, facts.HARD_CODED)


class Oracle:
    """Judges what was said of one exercise's mutants."""

    def __init__(self, catalogue: Catalogue, exercise: str) -> None:
        self.catalogue = catalogue
        self.exercise = exercise

    def is_false(self, diagnosis: Diagnosis, client: WorkerSession) -> bool:
        """Whether what is said is not true of fresh calls; false if there is no way to tell."""
        replay = self.catalogue.replay(self.exercise, diagnosis.function)
        if replay is None or diagnosis.kind == "error":
            return False
        answers = _answers(replay, client)
        if not answers:
            return False
        wrongs = _of_names(replay, diagnosis.misconceptions)
        if diagnosis.kind == "named" and wrongs:
            return not _is_one_of(replay, wrongs, diagnosis.finding, answers)
        if diagnosis.finding.startswith(TWO):
            reasons = two_reasons(replay, [answer.outcome for answer in answers])
            return [each.id for each in reasons] != list(diagnosis.misconceptions)
        if not replay.recipe.comparison.is_exact or set(diagnosis.misconceptions) & set(FACTS):
            return False
        valued = {(fact.id,) for fact in replay.recipe.facts if fact.has_value}
        if diagnosis.kind == "named" and diagnosis.misconceptions not in valued:
            return False  # a name of the check's own: it has no replay
        return not _still_said(replay, diagnosis.finding, answers)


def _answers(replay: Replay, client: WorkerSession) -> list[Answer]:
    """The answers to all draws, the fresh ones too; none if the submission stops answering."""
    submission = Submission(client.fresh())
    probes = replay.probes(SEEN + FRESH)
    try:
        return [answer_to(submission, replay.recipe, probe) for probe in probes]
    except Stopped:
        return []


def _still_said(replay: Replay, finding: str, answers: Sequence[Answer]) -> bool:
    """Whether the detectors say each of these sentences also when they see the fresh calls."""
    left = finding
    for sentence in facts.sentences(observe(replay, answers, SEEN + FRESH)):
        left = left.replace(printable(sentence, len(finding)), "")
    return not left.strip()


def _is_one_of(
    replay: Replay, wrongs: Sequence[Wrong], finding: str, answers: Sequence[Answer]
) -> bool:
    """Whether one of some mistakes gives all the fresh answers.

    It has to give only the wrong ones where the finding speaks of some calls alone.
    """
    size = len(replay.probes(1))
    fresh = dict(list(enumerate(answers))[SEEN * size :])
    meant = calls_meant(replay.recipe, replay.probes(SEEN + FRESH), finding)
    fresh = {number: answer for number, answer in fresh.items() if number in meant}
    plain = {wrong[0].finding for wrong in wrongs}
    of_all = finding in plain or finding.startswith(TWO) or finding.endswith(SOMETHING_ELSE)
    return any(_gives(replay, wrong, fresh, in_some=not of_all) for wrong in wrongs)


def calls_meant(recipe: Recipe, probes: Sequence[Probe], finding: str) -> set[int]:
    """The calls that a finding speaks of: those of one kind, where it says so, or all."""
    if not finding.endswith(IN_OTHER_CALLS):
        return set(range(len(probes)))
    when = finding.split(": ", 1)[0].lower()
    kinds = kinds_of_calls(recipe, probes)
    return {number for calls, words in kinds if words.lower() == when for number in calls}


def _of_names(replay: Replay, names: Sequence[str]) -> list[Wrong]:
    """The ways to make the mistakes of these names; with another, where one of two was named."""
    wanted = set(names)
    alone = [wrong for wrong in (*replay.singles, *replay.families) if {wrong[0].id} == wanted]
    pairs = [pair for pair in replay.pairs if wanted <= {each.id for each in both(pair)}]
    return alone + pairs


def _gives(replay: Replay, wrong: Wrong, fresh: dict[int, Answer], in_some: bool) -> bool:
    """Whether a mistake gives all the answers; only the wrong ones, if it is said of some calls."""
    return all(
        replay.fits(number, answer.outcome, wrong)
        or (in_some and replay.is_right(number, answer.outcome))
        for number, answer in fresh.items()
    )
