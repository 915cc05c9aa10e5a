"""Two results of a function, each wrong for a reason of its own."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from autograder.course.text import are, capital
from autograder.diagnosis import facts
from autograder.diagnosis.family import Misconception
from autograder.diagnosis.finding import Finding
from autograder.diagnosis.general import NOTHING_RETURNED
from autograder.diagnosis.kept_state import Ask, dependence
from autograder.diagnosis.observations import Answer, kinds_of_calls, observe, sides_of_traits
from autograder.diagnosis.outcome import Outcome, agree, group_id
from autograder.diagnosis.replay import Candidate, Replay, Wrong, both

LEAST = 2  # calls in which a result is wrong


def two_reasons(replay: Replay, answers: Sequence[Outcome]) -> list[Misconception]:
    """For each of two wrong results what gives it and leaves the others right; else nothing."""
    count = len(replay.recipe.results)
    if count < 2 or any(answer.raised for answer in answers):
        return []
    mine = [answer.in_parts(count) for answer in answers]
    right = [replay.outcome(n).in_parts(count) for n in range(len(answers))]
    if any(len(each.parts) != count for each in (*mine, *right)):
        return []
    wrong = {
        place: [n for n in range(len(mine)) if not _alike(replay, n, mine[n], right[n], place)]
        for place in range(count)
    }
    places = [place for place, calls in wrong.items() if calls]
    if len(places) != 2 or any(len(wrong[place]) < LEAST for place in places):
        return []
    reasons = [_reason(replay, mine, place, wrong[place]) for place in places]
    return [each for each in reasons if each is not None] if all(reasons) else []


def _reason(
    replay: Replay, mine: Sequence[Outcome], place: int, wrong: Sequence[int]
) -> Misconception | None:
    order = [*wrong, *(n for n in range(len(mine)) if n not in wrong)]
    found: Sequence[Wrong] = replay.known_by_result
    for number in order:
        found = [each for each in found if _gives(replay, number, mine[number], each, place)]
    return found[0][0] if found else None


def _gives(replay: Replay, number: int, mine: Outcome, wrong: Wrong, place: int) -> bool:
    """Whether a mistake gives this result of a call, and the right ones beside it."""
    count = len(mine.parts)
    made, right = (replay.outcome(number, each).in_parts(count) for each in (wrong, ()))
    return len(made.parts) == count and all(
        _alike(replay, number, mine if other == place else right, made, other)
        for other in range(count)
    )


def _alike(replay: Replay, number: int, one: Outcome, other: Outcome, place: int) -> bool:
    first, second = (np.asarray(each.parts[place], float) for each in (one, other))
    condition = replay.probes()[number % len(replay.probes())].condition
    return first.shape == second.shape and bool(
        agree(first, second, one.precision, condition).all()
    )


# From a student's answers to the probes to a finding: a name, or what differs and where.


TELLING = 2  # so many probes have to tell a misconception from whatever else it could be
DRAWS = 2
MAX_PAIRS = 12
MAX_ALIKE = 3
TWO, SOMETHING_ELSE = "Two things at once.", "And something else differs too."
IN_WRONG_CALLS = "in the calls that go wrong"
IN_OTHER_CALLS = "In the other calls something else goes wrong."
LEAST_OF_A_KIND = 4  # wrong calls of a kind, for a name that is said of them alone
SEEN = 6  # draws that a sentence without a name has to be true of


@dataclass
class Examination:
    """One function of one submission, asked about probes as far as is needed.

    `ask` asks in one process, in which nothing ran before; `alone` gives another such process,
    or None where asking leaves no trace.
    """

    replay: Replay
    ask: Ask
    alone: Callable[[], Ask] | None = None
    answers: list[Answer] = field(default_factory=list)

    def diagnose(self) -> Finding | None:
        """What is wrong with the function, or None if every probe is answered rightly."""
        self._draw(1)
        if all(self.right):
            return None
        exact = self.replay.recipe.comparison.is_exact
        if all(answer.outcome.raised for answer in self.answers):
            return facts.stopped_everywhere(self.answers)
        if facts.only_nan(self.outcomes):  # so many mistakes give nothing but NaN
            return (self._depends() if exact else None) or self._located()
        return (
            (self._depends() if exact else None)
            or self._confirmed(self._alone)
            or self._confirmed(self._in_some_cases)
            or self._confirmed(self._where_wrong)
            or (facts.always_the_same(self.replay, self.outcomes) if exact else None)
            or self._pair()
            or self._measured()
            or (self._confirmed(self._family) if exact else None)
            or (self._confirmed(self._in_each_result) if exact else None)
            or (self._confirmed(self._in_some_kind) if exact else None)
            or (self._confirmed(self._family_in_some_kind) if exact else None)
            or self._located()
        )

    def group(self) -> str:
        """An id that wrong answers of the same kind share; see `alike_id`."""
        return group_id(self.outcomes[: len(self.replay.probes(1))])

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

    def _depends(self) -> Finding | None:
        alone = self.alone or (lambda: self.ask)
        return dependence(self.replay.probes(1), self.answers, self.right, alone)

    def _confirmed(self, find: Callable[[], Finding | None]) -> Finding | None:
        """A name that is still found after as many calls again; by chance, one draw is enough."""
        found = find()
        if found is None or not self.replay.recipe.comparison.is_exact:
            return found
        self._draw(DRAWS)
        return find()

    def _measured(self) -> Finding | None:
        """A fact with a value that holds of every wrong answer: a factor, by its size."""
        if facts.named_measure(observe(self.replay, self.answers, self._draws)) is None:
            return None
        self._draw(SEEN)
        return facts.named_measure(observe(self.replay, self.answers, SEEN))

    @property
    def _draws(self) -> int:
        return len(self.answers) // len(self.replay.probes(1))

    def _located(self) -> Finding | None:
        """What is true of the answers, those to one more draw of calls too."""
        self._draw(SEEN)
        return facts.locate(observe(self.replay, self.answers, SEEN))

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
        for held, when in sides_of_traits(self.replay.recipe, probes):
            inside = sorted(held)
            outside = [i for i in range(len(probes)) if i not in held]
            if len(outside) < TELLING or not all(right[i] for i in outside):
                continue
            found = self.replay.fitting(self.outcomes, inside)
            diagnosis = self._single(self._told_from_right(found, inside), when)
            if diagnosis is not None:
                return diagnosis
        return None

    def _in_some_kind(self) -> Finding | None:
        """A misconception that gives all answers to the calls of some kind, and no others.

        In the other calls something else goes wrong as well: an error, say.
        """
        for inside, when in self._kinds():
            found = self.replay.fitting(self.outcomes, inside)
            diagnosis = self._single(self._told_from_right(found, inside), when)
            if diagnosis is not None:
                return _of_some_calls(diagnosis)
        return None

    def _kinds(self) -> Iterator[tuple[list[int], str]]:
        """The kinds of calls that go wrong.

        None where no call at all is right: answers may be right in a way that is not known.
        """
        right = self.right
        probes = self.replay.probes(DRAWS)[: len(self.answers)]
        for inside, when in kinds_of_calls(self.replay.recipe, probes) if any(right) else ():
            if sum(not right[i] for i in inside) >= LEAST_OF_A_KIND:
                yield inside, when

    def _where_wrong(self) -> Finding | None:
        """A misconception that gives all the wrong answers, though not every answer."""
        wrong = [i for i, right in enumerate(self.right) if not right]
        if len(wrong) == len(self.answers):
            return None
        found = self.replay.fitting(self.outcomes, wrong)
        return self._single(self._told_from_right(found, wrong), IN_WRONG_CALLS)

    def _pair(self) -> Finding | None:
        where = range(len(self.answers))
        wrong = [outcome.numbers for i, outcome in enumerate(self.outcomes) if not self.right[i]]
        if sum(not len(each) or bool(np.isfinite(each).any()) for each in wrong) < TELLING:
            return None  # of thousands of pairs, some give nothing but NaN as well
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
            first, second = (self._without_praise(each.finding) for each in stated)
            return named(f"{TWO} {first} And: {second}", *stated)
        if len(stated) == 1:
            said = self._without_praise(stated[0].finding)
            return named(f"{said} {SOMETHING_ELSE}", stated[0])
        return None

    def _without_praise(self, finding: str) -> str:
        """A finding without its `The output is right; `, where another mistake makes it wrong."""
        seen = observe(self.replay, self.answers, DRAWS)
        for place, name in enumerate(self.replay.recipe.results):
            praise = f"{capital(name)} {are(name)} right; "
            wrong = place in seen.wrong_parts or not seen.pairs
            if wrong and finding.startswith(praise):
                return capital(finding.removeprefix(praise))
        return finding

    def _family(self) -> Finding | None:
        """What is done to any argument or result, if it gives all answers, or all wrong ones."""
        right = self.right
        wrong = [number for number, is_right in enumerate(right) if not is_right]
        values = [number for number in wrong if not self.answers[number].outcome.raised]
        if len(values) < TELLING:
            return None
        lead, *others = [*values, *(n for n in range(len(right)) if n not in values)]
        near = self.replay.families_giving(lead, self.answers[lead].outcome)
        whole = [each for each in near if all(self._gives(n, each) for n in others)]
        if whole:
            return self._single(self._told_from_right(whole, range(len(right)))[:1])
        found = [each for each in near if all(self._gives(n, each) for n in wrong)]
        return self._only(self._told_from_right(found, wrong), IN_WRONG_CALLS)

    def _in_each_result(self) -> Finding | None:
        """Two results that are wrong for a reason of their own each."""
        reasons = two_reasons(self.replay, self.outcomes)
        if not reasons:
            return None
        first, second = (self._without_praise(each.finding) for each in reasons)
        return named(f"{TWO} {first} And: {second}", *reasons)

    def _family_in_some_kind(self) -> Finding | None:
        """The same of the calls of some kind, where in others something else goes wrong."""
        for inside, when in self._kinds():
            values = [n for n in inside if not (self.right[n] or self.answers[n].outcome.raised)]
            if len(values) < TELLING:
                continue
            near = self.replay.families_giving(values[0], self.answers[values[0]].outcome)
            found = [each for each in near if all(self._gives(n, each) for n in inside)]
            diagnosis = self._only(self._told_from_right(found, inside), when)
            if diagnosis is not None:
                return _of_some_calls(diagnosis)
        return None

    def _gives(self, number: int, wrong: Wrong) -> bool:
        return self.replay.fits(number, self.answers[number].outcome, wrong)

    def _only(self, found: Sequence[Wrong], when: str = "") -> Finding | None:
        """The one that is left, or the first of several that are the same in every call."""
        everywhere = range(len(self.answers))
        if any(self.replay.apart(everywhere, found[0], other) for other in found[1:]):
            return None
        return self._single(found[:1], when)


def _of_some_calls(diagnosis: Finding) -> Finding:
    """A name that is said of some calls alone, where others go wrong otherwise."""
    says = f"{diagnosis.says} {IN_OTHER_CALLS}"
    return replace(diagnosis, says=says, told=says)


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
