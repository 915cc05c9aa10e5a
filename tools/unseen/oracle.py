"""Test of reports on mutants, with calls that no examination makes."""

from collections.abc import Sequence
from itertools import product

import msgspec

from autograder.checks.proxy import Submission
from autograder.diagnosis import facts
from autograder.diagnosis.examination import Answer, observe
from autograder.diagnosis.replay import Replay, Wrong
from autograder.diagnosis.steps import SEEN, about_results, two_reasons
from autograder.grading.diagnoses import Catalogue, Stopped, answer_to
from autograder.report.model import Diagnosis, Statement
from autograder.sandbox.session import WorkerSession

FRESH = 2  # draws of calls in addition to those of an examination
OF_ALL_CALLS = {"named", "two_mistakes", "and_something_else"}


class Oracle:
    """Judge of the reports on one exercise's mutants."""

    def __init__(self, catalogue: Catalogue, exercise: str) -> None:
        self.catalogue = catalogue
        self.exercise = exercise

    def is_false(self, diagnosis: Diagnosis, client: WorkerSession) -> bool:
        """Return True if new calls refute the report, and False if nothing can refute it."""
        replay = self.catalogue.replay(self.exercise, diagnosis.function)
        if replay is None or diagnosis.kind == "error":
            return False
        answers = _answers(replay, client)
        if not answers:
            return False
        wrongs = _of_names(replay, diagnosis.misconceptions)
        if diagnosis.kind == "named" and wrongs:
            return not _is_one_of(replay, wrongs, diagnosis, answers)
        if diagnosis.code == "two_mistakes":
            reasons = two_reasons(replay, [answer.outcome for answer in answers])
            return [each.id for each in reasons] != list(diagnosis.misconceptions)
        if not replay.recipe.comparison.is_exact or diagnosis.code not in {"statements", "measure"}:
            return False  # for example, a check's own name: it has no replay
        of_results = about_results(replay, [answer.outcome for answer in answers])
        stated = [*facts.true_statements(observe(replay, answers)), *of_results]
        still = [_claim(each) for each in stated]
        return any(_claim(statement) not in still for statement in diagnosis.statements)


def _claim(statement: Statement) -> Statement:
    """Return a statement without the error's text, since new calls stop with other shapes."""
    values = {name: value for name, value in statement.values.items() if name != "error"}
    return msgspec.structs.replace(statement, values=values)


def _answers(replay: Replay, client: WorkerSession) -> list[Answer]:
    """Return the results for all draws and for new calls, or none if the submission stops."""
    submission = Submission(client.fresh())
    probes = replay.probes(SEEN + FRESH)
    try:
        return [answer_to(submission, replay.recipe, probe) for probe in probes]
    except Stopped:
        return []


def _is_one_of(
    replay: Replay, wrongs: Sequence[Wrong], diagnosis: Diagnosis, answers: Sequence[Answer]
) -> bool:
    """Return True if one of these mistakes gives all new results.

    If the report is only about some calls, a mistake has to give only the wrong results of these
    calls. Beside errors, it has to give only the wrong results of calls without an error.
    """
    size = len(replay.probes(1))
    fresh = dict(list(enumerate(answers))[SEEN * size :])
    if diagnosis.code == "and_errors":
        fresh = {n: answer for n, answer in fresh.items() if not answer.outcome.raised}
    in_some = diagnosis.code not in OF_ALL_CALLS
    return any(_gives(replay, wrong, fresh, in_some) for wrong in wrongs)


def _of_names(replay: Replay, names: Sequence[str]) -> list[Wrong]:
    """Return the misconceptions with these ids, and the pairs that include them."""
    wanted = set(names)
    alone = [wrong for wrong in (*replay.singles, *replay.families) if {wrong[0].id} == wanted]
    pairs = [pair for pair in replay.pairs if wanted <= {pair[0].id, pair[1].id}]
    with_changes = [
        (one[0], change[0], *one[1:])
        for one, change in product(replay.singles, replay.families)
        if {one[0].id, change[0].id} == wanted and len(change) == 1
    ]
    return alone + pairs + with_changes


def _gives(replay: Replay, wrong: Wrong, fresh: dict[int, Answer], in_some: bool) -> bool:
    """Return True if a mistake gives all results, or with `in_some` all wrong results."""
    return all(
        replay.fits(number, answer.outcome, wrong)
        or (in_some and replay.is_right(number, answer.outcome))
        for number, answer in fresh.items()
    )
