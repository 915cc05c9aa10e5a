"""What misconceptions give, as data: enough to tell by numbers which of them an answer shows."""

import functools
import importlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import msgspec
import numpy as np
import numpy.typing as npt

from autograder.checks.projection_hash import projection_weights
from autograder.checks.recorded_answers import unpacked_value
from autograder.checks.signature import Vector
from autograder.checks.tolerance import allowed_error
from autograder.diagnosis.blueprint import ModuleCaller, TensorCaller
from autograder.diagnosis.family import Alternative, Misconception
from autograder.diagnosis.general import NOTHING_RETURNED
from autograder.diagnosis.outcome import EXACT, Comparison, Outcome
from autograder.diagnosis.recipe import Caller, LibraryObject, Probe, Recipe, State, Trait
from autograder.diagnosis.replay import Changes, Pair, Replay, Wrong

NAMES_SUFFIX = ".names.bin"
KEPT_BITS = np.uint64(0xFFFFFFFFFF000000)  # of a sum of a pair: some eight decimals
SLACK = 2.0**-26  # what is lost by that, as a share


class RecordedMisconception(msgspec.Struct, frozen=True):
    """A misconception's words."""

    id: str
    finding: str
    hints: tuple[str, ...]


class RecordedProbe(msgspec.Struct, frozen=True):
    """One call: its arguments and its right result as packed values, and what is true of it.

    `result` is empty where an error is the right answer. `made` are the places of arguments that
    are made where the function runs, each with the name of what makes it.
    """

    given: bytes
    made: dict[int, str]
    condition: float
    traits: list[bool]
    sizes: dict[str, int]
    result: bytes


class RecordedOutcome(msgspec.Struct, frozen=True):
    """An outcome: the place of its signature, its numbers, and how far these may be off."""

    signature: int
    numbers: bytes
    single: bool = False
    allowed: bytes = b""
    parts: bytes = b""


class RecordedPairs(msgspec.Struct):
    """What pairs and families give in one probe: which outcome each has, and these as sums.

    `kinds` are digests, `sums` two rows of float64 without their last bits, byte by byte.
    """

    which: bytes = b""
    kinds: list[bytes] = []
    sums: bytes = b""


class RecordedFunction(msgspec.Struct):
    """One function of an exercise, and the ways in which it is done wrong.

    Attributes:
        call: how it is called: nothing for a plain call, `tensors`, or a class's blueprint.
        read: which helper reads its result, by its dotted name; nothing where none does.
        drawn: how many probes a draw has.
        singles: the place in `wrong` of each; the same one in several styles.
        outcomes: for each probe the place in `gave` of the right outcome, then of each single's;
            where results are random, of each pair's too.
        styled: the same of what is right in each other style.
        pairs: the places in `wrong` of two, for each pair, the same ones in several styles.
        families: the places in `wrong` of what may be done to any argument or result.
        paired: what the pairs give by probe, and after them the families.
    """

    name: str
    parameters: list[str]
    defaults: bytes
    results: list[str]
    precision: str
    by_kind: bool
    random: bool
    read: str
    call: dict[str, Any] | None
    traits: list[tuple[str, str]]
    drawn: int
    probes: list[RecordedProbe]
    wrong: list[RecordedMisconception]
    singles: list[int]
    signatures: list[str]
    gave: list[RecordedOutcome]
    outcomes: list[list[int]]
    styled: list[list[int]]
    pairs: list[tuple[int, int]]
    families: list[int]
    paired: list[RecordedPairs]


class RecordedNames(msgspec.Struct):
    """The misconceptions of one exercise."""

    functions: list[RecordedFunction]


def kind_and_sums(outcome: Outcome) -> tuple[bytes, Vector, Vector]:
    """An outcome in short: a digest of its structure, two sums, and what these are made with."""
    import hashlib

    numbers, text = outcome.numbers, outcome.signature
    odd = ~np.isfinite(numbers)
    if odd.any():
        text += f" {np.flatnonzero(odd).tolist()} {numbers[odd].tolist()}"
        numbers = np.where(odd, 0.0, numbers)
    kind = hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).digest()
    weights = projection_weights(len(numbers))[:2]
    with np.errstate(over="ignore", invalid="ignore"):
        return kind, weights @ numbers, np.abs(weights)


def shuffled(sums: Vector) -> bytes:
    """Sums as bytes that can be packed well."""
    cut = (sums.astype("<f8").view("<u8") & KEPT_BITS).view(np.uint8).reshape(-1, 8)
    return np.ascontiguousarray(cut.T).tobytes()


def unshuffled(data: bytes) -> Vector:
    """The sums, two a row."""
    cells = np.frombuffer(data, np.uint8).reshape(8, -1)
    return np.ascontiguousarray(cells.T).view("<f8").reshape(-1, 2)


# Misconceptions of a released course: found again by numbers, where the full one replays them.


Which = TypeVar("Which", int, tuple[int, int])
Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class RecordedRecipe(Recipe):
    """A function of which only its calls are known, and what is true of them."""

    known: Mapping[int, Any] = field(default_factory=dict)
    wrong: tuple[Misconception, ...] = ()

    @property
    def misconceptions(self) -> tuple[Misconception, ...]:
        """Each that was recorded, in words alone."""
        return self.wrong

    def right(self, probe: Probe) -> Any:
        """What is known of the right call."""
        return self.known[id(probe)]


class RecordedReplay(Replay):
    """Outcomes from records: of single misconceptions as numbers, of all others as two sums."""

    def __init__(self, function: RecordedFunction, package: str) -> None:
        self.function = function
        probes = [_probe(each) for each in function.probes]
        super().__init__(_recipe(function, probes, package))
        self._probes, self._size = probes, function.drawn
        self._right_ones = [_outcome(function, each[0]) for each in function.outcomes]
        self.styles = [_STYLES[-1 - n] for n in range(len(function.styled[0]))]
        self._in_styles: dict[Changes, int] = {(s,): n for n, s in enumerate(self.styles)}
        wrong = self.recipe.misconceptions
        self._singles = [
            (wrong[place], _STYLES[number]) for number, place in _numbered(function.singles)
        ]
        self._rows: dict[Changes, int] = {each: n for n, each in enumerate(self._singles)}
        self._pairs = [
            (wrong[a], wrong[b], _STYLES[number]) for number, (a, b) in _numbered(function.pairs)
        ]
        self._families = [(wrong[place],) for place in function.families]
        sketched: list[Changes] = [*self._pairs, *self._families]
        if function.random:
            self._rows |= {each: n for n, each in enumerate(self._pairs, len(self._singles))}
            sketched = []
        self._sketch_rows = {each: n for n, each in enumerate(sketched)}

    @property
    def singles(self) -> list[Wrong]:
        """The misconceptions, in each style that was recorded."""
        return self._singles

    @property
    def pairs(self) -> list[Pair]:
        """The pairs that were recorded, each in its styles: none with a general misconception."""
        return self._pairs

    @property
    def families(self) -> list[Wrong]:
        """What may be done to any argument or result, as it was recorded."""
        return self._families

    def families_giving(self, index: int, answer: Outcome) -> list[Wrong]:
        """Those that give an answer, as far as two sums tell."""
        hit = self._sketches_hit(index, answer)[len(self._pairs) :]
        return [self._families[n] for n in np.flatnonzero(hit)]

    @property
    def known_by_result(self) -> Sequence[Wrong]:
        """None: results are recorded together."""
        return []

    def probes(self, draws: int = 1) -> Sequence[Probe]:
        """The calls that were recorded."""
        return self._probes[: draws * self._size]

    def outcome(self, index: int, wrong: Changes = ()) -> Outcome:
        """What comes of a probe; of pairs and families, only whether an answer fits is known."""
        if not wrong:
            return self._right_ones[index]
        key = index, wrong
        if key not in self._kept:
            style = self._in_styles.get(wrong)
            if style is None:
                place = self.function.outcomes[index][1 + self._rows[wrong]]
            else:
                place = self.function.styled[index][style]
            self._kept[key] = _outcome(self.function, place)
        return self._kept[key]

    def fits(self, index: int, answer: Outcome, wrong: Changes) -> bool:
        """Whether an answer is what these misconceptions give."""
        if wrong in self._sketch_rows:
            return bool(self._sketches_hit(index, answer)[self._sketch_rows[wrong]])
        return super().fits(index, answer, wrong)

    def matching_pairs(self, answers: Sequence[Outcome], indices: Sequence[int]) -> list[Pair]:
        """The pairs that no probe speaks against."""
        if self.function.random:
            return super().matching_pairs(answers, indices)
        found = np.ones(len(self.pairs), bool)
        for index in indices:
            if found.any():
                found &= self._sketches_hit(index, answers[index])[: len(self.pairs)]
        return [self._pairs[n] for n in np.flatnonzero(found)]

    def _differ(self, index: int, wrong: Changes, other: Changes) -> bool:
        if wrong not in self._sketch_rows:
            return super()._differ(index, wrong, other)
        if other in self._sketch_rows:
            rows = self._sketch_rows[wrong], self._sketch_rows[other]
            return self._column(index).differ(*rows, self._probes[index].condition)
        right = self.outcome(index)
        return not right.raised and not self.fits(index, right, wrong)

    def _sketches_hit(self, index: int, answer: Outcome) -> Bools:
        """Which pairs and families give this answer, as far as two sums tell."""
        known = self._column(index)
        kind, sums, weights = kind_and_sums(answer)
        finite = np.where(np.isfinite(answer.numbers), answer.numbers, 0)
        condition = self._probes[index].condition
        with np.errstate(over="ignore", invalid="ignore"):
            allowed = weights @ allowed_error(answer.precision, finite, condition)
            close = (np.abs(known.sums - sums) <= allowed + SLACK * np.abs(known.sums)).all(axis=-1)
        return np.asarray((close & (known.kinds == _number(kind)))[known.which])

    @functools.cache  # noqa: B019  as long as the replay itself
    def _column(self, index: int) -> "_Column":
        return _Column(self.function, index)


class _Column:
    """What all pairs and families give in one probe."""

    def __init__(self, function: RecordedFunction, index: int) -> None:
        paired = function.paired[index]
        self.which = np.frombuffer(paired.which, "<u2")
        self.kinds = np.array([_number(kind) for kind in paired.kinds], np.uint64)
        self.sums = unshuffled(paired.sums)

    def differ(self, row: int, other: int, condition: float) -> bool:
        """Whether two of them give other outcomes, beyond rounding."""
        one, two = self.which[row], self.which[other]
        if self.kinds[one] != self.kinds[two]:
            return True
        sums = self.sums[[one, two]]
        slack = (SLACK + condition * np.finfo(np.float64).eps) * np.abs(sums).max(axis=0)
        return bool((np.abs(sums[0] - sums[1]) > 8 * slack).any())


class _Styles(dict[int, Alternative]):
    """A style for each number: singles in several styles are told apart by it."""

    def __missing__(self, number: int) -> Alternative:
        self[number] = Alternative({})
        return self[number]


_STYLES = _Styles()


def _numbered(wrongs: Sequence[Which]) -> list[tuple[int, Which]]:
    """Singles or pairs, each with how many of the same stand before it."""
    seen: dict[Which, int] = {}
    found = []
    for place in wrongs:
        found.append((seen.get(place, 0), place))
        seen[place] = seen.get(place, 0) + 1
    return found


def _number(kind: bytes) -> np.uint64:
    return np.uint64(int.from_bytes(kind, "little"))


def _outcome(function: RecordedFunction, place: int) -> Outcome:
    gave: RecordedOutcome = function.gave[place]
    numbers = np.frombuffer(gave.numbers, "<f4" if gave.single else "<f8").astype(np.float64)
    outcome = Outcome(
        function.signatures[gave.signature],
        numbers,
        allowed=np.frombuffer(gave.allowed, "<f8") if gave.allowed else None,
        parts=tuple(map(np.asarray, unpacked_value(gave.parts))) if gave.parts else (),
    )
    return outcome if function.random else outcome.in_precision(np.dtype(function.precision))


def _probe(probed: RecordedProbe) -> Probe:
    args, kwargs = unpacked_value(probed.given)
    given = [
        LibraryObject(probed.made[n], tuple(value), lambda *_: None) if n in probed.made else value
        for n, value in enumerate(args)
    ]
    return Probe(tuple(given), kwargs, probed.condition)


def _recipe(function: RecordedFunction, probes: Sequence[Probe], package: str) -> RecordedRecipe:
    known = {
        id(probe): State(traits=probed.traits, sizes=probed.sizes, result=_result(probed))
        for probe, probed in zip(probes, function.probes, strict=True)
    }
    return RecordedRecipe(
        of=function.name,
        parameters=tuple(function.parameters),
        steps={},
        probes=lambda _: probes,
        wrong=tuple(_misconception(each) for each in function.wrong),
        defaults=unpacked_value(function.defaults),
        traits=tuple(
            Trait(functools.partial(_has, place), when, otherwise)
            for place, (when, otherwise) in enumerate(function.traits)
        ),
        results=tuple(function.results),
        axes=lambda state: getattr(state, "sizes", {}),
        caller=_call(function, package),
        comparison=_comparison(function, package),
        known=known,
    )


def _comparison(function: RecordedFunction, package: str) -> Comparison:
    return Comparison(
        precision=np.dtype(function.precision),
        by_kind=function.by_kind,
        read=_named(package, function.read) if function.read else EXACT.read,
        spread=_drawn if function.random else None,
    )


def _has(place: int, state: Any) -> bool:
    return bool(state.traits[place])


def _drawn(_: Any) -> tuple[Any, Any]:
    raise NotImplementedError("what was drawn is recorded")


def _result(probed: RecordedProbe) -> Any:
    return unpacked_value(probed.result) if probed.result else None


def _misconception(wrong: Any) -> Misconception:
    if wrong.id == NOTHING_RETURNED.id:
        return NOTHING_RETURNED
    return Misconception(wrong.id, wrong.finding, wrong.hints, {})


def _call(function: RecordedFunction, package: str) -> Caller | None:
    call = function.call or {}
    if call.get("kind") == "tensors":
        return TensorCaller()
    if call.get("kind") == "helper":
        caller: Caller = _named(package, call["name"])()
        return caller
    if call.get("kind") != "module":
        return None
    return ModuleCaller(
        tuple(call["built_with"]),
        tuple(call["called_with"]),
        call["weights"],
        _named(package, call["words"]),
    )


def _named(package: str, name: str) -> Any:
    module, _, last = name.rpartition(".")
    return getattr(importlib.import_module(f"{package}.{module}"), last)
