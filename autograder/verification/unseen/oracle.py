"""Whether what was said of a mutant is true: asked of calls that no examination has seen."""

from collections.abc import Sequence

from autograder.checking.proxy import Submission
from autograder.diagnosis.replay import Replay, Wrong
from autograder.diagnosis.seen import Answer
from autograder.grading.diagnose import Catalogue, Stopped, answer_to
from autograder.report.model import Diagnosis
from autograder.sandbox.client import Client

SEEN, FRESH = 2, 4  # the draws of an examination, and those of it and of the oracle


class Oracle:
    """Judges the names that were given to one exercise's mutants."""

    def __init__(self, catalogue: Catalogue, exercise: str) -> None:
        self.catalogue = catalogue
        self.exercise = exercise

    def is_false(self, diagnosis: Diagnosis, client: Client) -> bool:
        """Whether a name is not that of what the mutant does; false if there is no way to tell."""
        replay = self.catalogue.replay(self.exercise, diagnosis.function)
        if replay is None or diagnosis.kind != "named":
            return False
        wrongs = _of_names(replay, diagnosis.misconceptions)
        if not wrongs:
            return False  # a name of the check's own: it has no replay
        replay.probes(FRESH)
        size = len(replay.probes(1))
        submission = Submission(client.fresh())
        try:
            answers = {
                number: answer_to(submission, replay.recipe, replay.probes(FRESH)[number])
                for number in range(SEEN * size, FRESH * size)
            }
        except Stopped:
            return False
        in_some = not any(diagnosis.finding == wrong[0].finding for wrong in wrongs)
        return not any(_gives(replay, wrong, answers, in_some) for wrong in wrongs)


def _of_names(replay: Replay, names: Sequence[str]) -> list[Wrong]:
    """The ways to make the mistakes of these names; with another, where one of two was named."""
    wanted = set(names)
    alone = [wrong for wrong in replay.singles if {wrong[0].id} == wanted]
    return alone + [
        pair for pair in replay.pairs if wanted <= {each.id for each in pair if each.id}
    ]


def _gives(replay: Replay, wrong: Wrong, answers: dict[int, Answer], in_some: bool) -> bool:
    """Whether a mistake gives all the answers; only the wrong ones, if it is said of some calls."""
    return all(
        replay.fits(number, answer.outcome, wrong)
        or (in_some and replay.is_right(number, answer.outcome))
        for number, answer in answers.items()
    )
