"""One function of one submission: the calls that it was asked, and its answers so far."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from autograder.diagnosis.observations import Answer, Observations, observe
from autograder.diagnosis.outcome import Outcome, group_id
from autograder.diagnosis.recipe import Probe
from autograder.diagnosis.replay import Candidate, Replay

TELLING = 2  # so many probes have to tell a misconception from whatever else it could be
Ask = Callable[[Probe], Answer]


@dataclass
class Examination:
    """The answers of one function to as many draws of probes as a diagnosis needs.

    Attributes:
        ask: asks in one process, in which nothing ran before.
        alone: starts another such process, and returns its `ask`; None where asking leaves no
            trace.
    """

    replay: Replay
    ask: Ask
    alone: Callable[[], Ask] | None = None
    answers: list[Answer] = field(default_factory=list)

    def draw(self, draws: int) -> None:
        """Ask the probes of the first `draws` draws that have not been asked yet."""
        for probe in self.replay.probes(draws)[len(self.answers) :]:
            self.answers.append(self.ask(probe))

    @property
    def is_exact(self) -> bool:
        """True if the right results involve no chance."""
        return self.replay.recipe.comparison.is_exact

    @property
    def outcomes(self) -> list[Outcome]:
        """The outcomes of the answers, in order."""
        return [answer.outcome for answer in self.answers]

    @property
    def right(self) -> list[bool]:
        """True for each right answer, in order."""
        return [self.replay.is_right(i, outcome) for i, outcome in enumerate(self.outcomes)]

    @property
    def everywhere(self) -> range:
        """The numbers of all answers."""
        return range(len(self.answers))

    @property
    def draws(self) -> int:
        """The number of draws that were asked in full."""
        return len(self.answers) // len(self.replay.probes(1))

    def observed(self, draws: int) -> Observations:
        """Return all calls with their answers and the right ones."""
        return observe(self.replay, self.answers, draws)

    def told_from_right(
        self, candidates: Sequence[Candidate], calls: Sequence[int]
    ) -> list[Candidate]:
        """Return the candidates that `TELLING` of these calls tell from a right function."""
        return [wrong for wrong in candidates if self.replay.telling(calls, wrong) >= TELLING]

    def group(self) -> str:
        """Return an id that wrong answers of the same kind share; see `group_id`."""
        return group_id(self.outcomes[: len(self.replay.probes(1))])
