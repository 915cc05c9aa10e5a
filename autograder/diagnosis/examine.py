"""From a student's answers to the probes to a finding: a name, or what differs and where."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from autograder.diagnosis import locate
from autograder.diagnosis.family import Misconception
from autograder.diagnosis.finding import Finding
from autograder.diagnosis.general import NOTHING_RETURNED
from autograder.diagnosis.outcome import Outcome, same
from autograder.diagnosis.recipe import Probe
from autograder.diagnosis.replay import Candidate, Replay, Wrong, both

TELLING = 2  # so many probes have to tell a misconception from whatever else it could be
DRAWS = 2
MAX_PAIRS = 12
MAX_ALIKE = 3
AGAIN = 4  # chance may leave a single answer as it was


@dataclass(frozen=True)
class Answer:
    """What the student's function did with a probe; `error` says so in words if it raised."""

    outcome: Outcome
    error: str = ""
    printed: bool = False


Ask = Callable[[Probe], Answer]


@dataclass
class Examination:
    """One function of one submission, asked about probes as far as is needed."""

    replay: Replay
    ask: Ask
    answers: list[Answer] = field(default_factory=list)

    def diagnose(self) -> Finding | None:
        """What is wrong with the function, or None if every probe is answered rightly."""
        self._draw(1)
        if all(self.right):
            return None
        if all(answer.outcome.raised for answer in self.answers):
            return locate.stopped_everywhere(self.answers)
        exact = self.replay.recipe.comparison.is_exact
        return (
            self._alone()
            or self._in_some_cases()
            or self._where_wrong()
            or (locate.always_the_same(self.replay, self.outcomes) if exact else None)
            or self._pair()
            or (locate.depends_on_something_else() if exact and self._again() else None)
            or locate.locate(self.replay, self.answers, self.right)
        )

    @property
    def outcomes(self) -> list[Outcome]:
        return [answer.outcome for answer in self.answers]

    @property
    def right(self) -> list[bool]:
        """Which probes are answered rightly."""
        return [self.replay.is_right(i, outcome) for i, outcome in enumerate(self.outcomes)]

    def _draw(self, draws: int) -> None:
        for probe in self.replay.probes(draws)[len(self.answers) :]:
            self.answers.append(self.ask(probe))

    def _again(self) -> bool:
        """Whether one of a few probes that are not answered by an error has another answer now."""
        answered = [i for i, answer in enumerate(self.answers) if not answer.outcome.raised]
        for index in answered[-AGAIN:]:
            probe = self.replay.probes(DRAWS)[index]
            second = self.ask(probe).outcome
            if not same(second, self.answers[index].outcome, probe.condition):
                return True
        return False

    def _alone(self) -> Finding | None:
        """One misconception that gives all the answers."""
        found, near = self._fitting()
        if found and near:
            self._draw(DRAWS)
            found, near = self._fitting()
            if near:
                return None
        return self._single(found) if found else None

    def _fitting(self) -> tuple[list[Wrong], bool]:
        """The misconceptions that fit all answers, and whether another is told apart too weakly."""
        everywhere = range(len(self.answers))
        misses = self.replay.misses(self.outcomes, everywhere)
        singles = self.replay.singles
        found = [singles[n] for n in np.flatnonzero(misses == 0)]
        ids = {wrong[0].id for wrong in found}
        near = any(singles[n][0].id not in ids for n in np.flatnonzero(misses == 1))
        return self._told_from_right(found, everywhere), near

    def _told_from_right(self, found: Sequence[Candidate], where: Sequence[int]) -> list[Candidate]:
        return [wrong for wrong in found if self.replay.telling(where, wrong) >= TELLING]

    def _single(self, found: Sequence[Wrong], when: str = "") -> Finding | None:
        """One misconception by its name; several that look the same here have none.

        Misconceptions of the same id are ways to make the same mistake.
        """
        if len({wrong[0].id for wrong in found}) != 1:
            return None
        misconception = found[0][0]
        finding = misconception.finding
        if misconception is NOTHING_RETURNED and any(a.printed for a in self.answers):
            finding = (
                "The function prints its result in place of returning it, so whoever calls it "
                "gets None."
            )
        if when:
            finding = f"{when[:1].upper()}{when[1:]}: {finding[:1].lower()}{finding[1:]}"
        return named(finding, misconception)

    def _in_some_cases(self) -> Finding | None:
        """A misconception at work only in the calls of one kind: in one branch of an `if`."""
        right = self.right
        probes = self.replay.probes(DRAWS)[: len(self.answers)]
        states = [self.replay.recipe.right(probe) for probe in probes]
        for trait in self.replay.recipe.traits:
            holds = [trait.of(state) for state in states]
            for wanted, when in ((True, trait.when), (False, trait.otherwise)):
                inside = [i for i, held in enumerate(holds) if held == wanted]
                outside = [i for i, held in enumerate(holds) if held != wanted]
                if len(outside) < TELLING or not all(right[i] for i in outside):
                    continue
                found = self.replay.fitting(self.outcomes, inside)
                diagnosis = self._single(self._told_from_right(found, inside), when)
                if diagnosis is not None:
                    return diagnosis
        return None

    def _where_wrong(self) -> Finding | None:
        """A misconception that gives all the wrong answers, though not every answer."""
        wrong = [i for i, right in enumerate(self.right) if not right]
        if len(wrong) == len(self.answers):
            return None
        found = self.replay.fitting(self.outcomes, wrong)
        return self._single(self._told_from_right(found, wrong), "in the calls that go wrong")

    def _pair(self) -> Finding | None:
        where = range(len(self.answers))
        pairs = self._told_from_right(self.replay.matching_pairs(self.outcomes, where), where)
        if pairs:  # among thousands of pairs, one may fit by chance
            self._draw(DRAWS)
            pairs = self.replay.alive(pairs, self.outcomes, range(len(self.answers)))
        if not pairs or len(pairs) > MAX_PAIRS:
            return None
        shared = [
            first
            for first in both(pairs[0])
            if all(any(first.id == other.id for other in both(pair)) for pair in pairs)
        ]
        # pairs that are left together are the same function on every probe: each is as true
        stated = list(both(pairs[0])) if len(pairs) <= MAX_ALIKE else shared
        if len(stated) == 2:
            first, second = stated
            return named(f"Two things at once. {first.finding} And: {second.finding}", *stated)
        if len(stated) == 1:
            return named(f"{stated[0].finding} And something else differs too.", stated[0])
        return None


def named(finding: str, *misconceptions: Misconception) -> Finding:
    """A finding by name, with the hints of the first misconception before the second's.

    It is made of the course's own sentences alone, so hidden checks may say it.
    """
    return Finding(
        kind="named",
        says=finding,
        misconceptions=tuple(each.id for each in misconceptions),
        hints=misconceptions[0].hints,
        told=finding,
    )
