"""Recorded replay: the results of misconceptions in a student kit, and a search in them."""

import functools
import importlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from autograder.checks.module_weights import USUAL_NAMES
from autograder.checks.projection_hash import Vector, kind_and_numbers, projection_weights
from autograder.checks.recorded_answers import unpacked_value
from autograder.checks.tolerance import allowed_error
from autograder.diagnosis.callers import ModuleCaller, TensorCaller
from autograder.diagnosis.general import NOTHING_RETURNED
from autograder.diagnosis.outcome import EXACT, Comparison, Outcome
from autograder.diagnosis.recipe import (
    Alternative,
    Caller,
    Change,
    LibraryObject,
    Misconception,
    Probe,
    Recipe,
    ScriptCaller,
    State,
    Trait,
)
from autograder.diagnosis.replay import Changes, Replay

NAMES_SUFFIX = ".names.bin"
LOST_BITS = np.uint64(0xFFFFFFFF)  # the bits of a sum that are cut off; about six decimals remain
LARGEST = 1e200  # above this size, the allowed error would be infinite
SLACK = 2.0**-20  # the relative error that this cut causes


class RecordedMisconception(msgspec.Struct, frozen=True):
    id: str
    finding: str
    hints: tuple[str, ...]


class RecordedProbe(msgspec.Struct, frozen=True):
    """Recorded call: packed arguments, packed correct result, and properties."""

    given: bytes
    made: dict[int, str]  # constructors for arguments to make in the student's process, by position
    condition: float
    traits: list[bool | None]
    sizes: dict[str, int]
    result: bytes  # empty if the correct answer is an error


class RecordedOutcome(msgspec.Struct, frozen=True):
    """Outcome of a call: the index of the signature, and numbers with tolerances."""

    signature: int
    numbers: bytes
    single: bool = False
    allowed: bytes = b""
    parts: bytes = b""


class RecordedPairs(msgspec.Struct):
    """Outcomes of one probe for all pairs and generic changes.

    `kinds` and `sums` describe each different outcome: a digest of its structure, and a weighted
    sum of its numbers. `which` is the index of the outcome for each pair and each generic change.
    One sum per outcome is enough, because a false match would need a coincidence in every probe.
    """

    which: bytes = b""
    kinds: list[bytes] = []
    sums: bytes = b""


class RecordedFunction(msgspec.Struct):
    """Function of an exercise, and its misconceptions as data.

    `singles`, `pairs` and `families` are indices of `wrong`: of single misconceptions, of pairs,
    and of generic changes. If alternatives change the outcomes of a misconception, its index occurs
    once for each of them. `outcomes` and `styled` have a row of indices of `gave` for each probe. A
    row of `outcomes` has the correct outcome, the outcomes of `singles`, and for random results the
    outcomes of `pairs`. A row of `styled` has the correct outcome with each alternative. For each
    probe, `paired` has the outcomes of `pairs`, then those of `families`.
    """

    name: str
    parameters: list[str]
    defaults: bytes
    results: list[str]
    precision: str
    by_kind: bool
    random: bool
    read: str  # dotted name of the helper that reads results, or ""
    call: dict[str, Any] | None  # fields of a `Caller`, or None
    traits: list[tuple[str, str, bool]]
    drawn: int  # number of probes in a draw
    probes: list[RecordedProbe]
    wrong: list[RecordedMisconception]  # all misconceptions and generic changes
    singles: list[int]
    signatures: list[str]
    gave: list[RecordedOutcome]  # all different outcomes
    outcomes: list[list[int]]
    styled: list[list[int]]
    pairs: list[tuple[int, int]]
    families: list[int]
    paired: list[RecordedPairs]


class RecordedNames(msgspec.Struct):
    """Misconceptions of an exercise as data."""

    functions: list[RecordedFunction]


def kind_and_sum(outcome: Outcome) -> tuple[bytes, float, Vector]:
    """Return a digest of an outcome's structure, a weighted sum of its numbers, and the weights."""
    kind, numbers = kind_and_numbers(outcome.signature, outcome.numbers)
    weights = projection_weights(len(numbers))[0]
    return kind, float(weights @ numbers), np.abs(weights)


def shuffled(sums: Vector) -> bytes:
    """Return the rounded sums as bytes, in an order that compresses well."""
    half = LOST_BITS // np.uint64(2)
    cut = ((sums.astype("<f8").view("<u8") + half) & ~LOST_BITS).view(np.uint8).reshape(-1, 8)
    return np.ascontiguousarray(cut.T).tobytes()


def unshuffled(data: bytes) -> Vector:
    return np.ascontiguousarray(np.frombuffer(data, np.uint8).reshape(8, -1).T).view("<f8").ravel()


@dataclass(frozen=True)
class KnownProbe(Probe):
    """Recorded call, with the correct call's state."""

    state: Any = None


class RecordedRecipe(Recipe):
    """Recipe without code: recorded calls and their properties."""

    def right(self, probe: Probe, changes: Iterable[Change] = ()) -> Any:  # noqa: ARG002
        return probe.state if isinstance(probe, KnownProbe) else self.arguments(probe)


class RecordedReplay(Replay):
    """Search for misconceptions in records instead of code.

    For exact results, an outcome of a pair or a generic change is a sum of numbers.
    """

    def __init__(self, function: RecordedFunction, package: str) -> None:
        self.function = function
        probes = [_probe(recorded) for recorded in function.probes]
        super().__init__(_recipe(function, probes, package))
        self._probes, self._size = probes, function.drawn
        # Each recorded combination has an empty alternative, which makes the combination a unique
        # key. The diagnosis does not combine a recorded combination with other changes, and does
        # not look for it in single results.
        self.alternatives = [Alternative({}) for _ in function.styled[0]]
        wrong = self.recipe.misconceptions
        self.singles = [(wrong[place], Alternative({})) for place in function.singles]
        self.pairs = [(wrong[a], wrong[b], Alternative({})) for a, b in function.pairs]
        self.families = [(wrong[place], Alternative({})) for place in function.families]
        in_numbers: list[Changes] = [(), *self.singles]
        in_sums: list[Changes] = [*self.pairs, *self.families]
        if function.random:
            in_numbers, in_sums = [*in_numbers, *self.pairs], []
        self._rows = {changes: row for row, changes in enumerate(in_numbers)}
        self._rows_of_sums = {changes: row for row, changes in enumerate(in_sums)}

    def probes(self, draws: int = 1) -> Sequence[Probe]:
        return self._probes[: draws * self._size]

    def _run(self, index: int, wrong: Changes) -> Outcome:
        if wrong and wrong[0] in self.alternatives:
            place = self.function.styled[index][self.alternatives.index(wrong[0])]
        else:
            place = self.function.outcomes[index][self._rows[wrong]]
        return _outcome(self.function, place)

    def fits(self, index: int, answer: Outcome, wrong: Changes) -> bool:
        if wrong in self._rows_of_sums:
            return bool(self._sums_hit(index, answer)[self._rows_of_sums[wrong]])
        return super().fits(index, answer, wrong)

    def _differ(self, index: int, wrong: Changes, other: Changes) -> bool:
        if wrong not in self._rows_of_sums:
            return super()._differ(index, wrong, other)
        if other in self._rows_of_sums:
            which, kinds, known = self._column(index)
            first, second = which[[self._rows_of_sums[wrong], self._rows_of_sums[other]]]
            if kinds[first] != kinds[second]:
                return True
            sums = known[[first, second]]
            slack = (SLACK + self.condition(index) * np.finfo(np.float64).eps) * np.abs(sums).max()
            return bool(np.abs(sums[0] - sums[1]) > 8 * slack)
        right = self.outcome(index)
        return not right.raised and not self.fits(index, right, wrong)

    @functools.lru_cache(maxsize=256)  # noqa: B019  as long as the replay itself
    def _sums_hit(self, index: int, answer: Outcome) -> npt.NDArray[np.bool_]:
        which, kinds, sums = self._column(index)
        kind, total, weights = kind_and_sum(answer)
        finite = np.where(np.isfinite(answer.numbers), answer.numbers, 0).clip(-LARGEST, LARGEST)
        slope = 1 / np.hypot(1.0, finite)  # the derivative of asinh
        with np.errstate(over="ignore", invalid="ignore"):
            allowed = allowed_error(answer.precision, finite, self.condition(index))
            slack = weights @ (allowed * slope) + SLACK * np.abs(sums)
        close = np.abs(sums - total) <= slack
        return np.asarray((close & (kinds == np.frombuffer(kind, "<u8")))[which])

    @functools.cache  # noqa: B019  as long as the replay itself
    def _column(self, index: int) -> tuple[npt.NDArray[np.uint16], npt.NDArray[np.uint64], Vector]:
        paired = self.function.paired[index]
        kinds = np.frombuffer(b"".join(paired.kinds), "<u8")
        return np.frombuffer(paired.which, "<u2"), kinds, unshuffled(paired.sums)


def _outcome(function: RecordedFunction, place: int) -> Outcome:
    gave = function.gave[place]
    outcome = Outcome(
        function.signatures[gave.signature],
        np.frombuffer(gave.numbers, "<f4" if gave.single else "<f8").astype(np.float64),
        allowed=np.frombuffer(gave.allowed, "<f8") if gave.allowed else None,
        parts=tuple(map(np.asarray, unpacked_value(gave.parts))) if gave.parts else (),
    )
    return outcome if function.random else outcome.in_precision(np.dtype(function.precision))


def _probe(recorded: RecordedProbe) -> Probe:
    args, kwargs = unpacked_value(recorded.given)
    given = (
        LibraryObject(recorded.made[n], tuple(value), lambda *_: None)
        if n in recorded.made
        else value
        for n, value in enumerate(args)
    )
    result = unpacked_value(recorded.result) if recorded.result else None
    state = State(traits=recorded.traits, sizes=recorded.sizes, result=result)
    return KnownProbe(tuple(given), kwargs, recorded.condition, state)


def _recipe(function: RecordedFunction, probes: Sequence[Probe], package: str) -> RecordedRecipe:
    misconceptions = (
        NOTHING_RETURNED
        if wrong.id == NOTHING_RETURNED.id
        else Misconception(wrong.id, wrong.finding, wrong.hints, {})  # type: ignore[arg-type]
        for wrong in function.wrong
    )
    return RecordedRecipe(
        of=function.name,
        parameters=tuple(function.parameters),
        probes=lambda _: probes,
        fingerprints=tuple(misconceptions),
        defaults=unpacked_value(function.defaults),
        traits=tuple(
            Trait(functools.partial(_has, place), when, otherwise, both_ways)
            for place, (when, otherwise, both_ways) in enumerate(function.traits)
        ),
        results=tuple(function.results),
        axes=lambda state: getattr(state, "sizes", {}),
        caller=_caller(function.call or {}, package),
        comparison=Comparison(
            precision=np.dtype(function.precision),
            by_kind=function.by_kind,
            read=_named(package, function.read) if function.read else EXACT.read,
            spread=(lambda state: state.spread) if function.random else None,  # never called
        ),
    )


def _has(place: int, state: Any) -> bool | None:
    return state.traits[place]  # type: ignore[no-any-return]


def _caller(call: Mapping[str, Any], package: str) -> Caller | None:
    match call.get("kind"):
        case "tensors":
            return TensorCaller()
        case "script":
            return ScriptCaller()
        case "helper":
            caller: Caller = _named(package, call["name"])()
            return caller
        case "module":
            words = _named(package, call["words"]) if call["words"] else USUAL_NAMES
            built_with, called_with = tuple(call["built_with"]), tuple(call["called_with"])
            return ModuleCaller(built_with, called_with, call["weights"], words)
    return None


def _named(package: str, name: str) -> Any:
    module, _, last = name.rpartition(".")
    return getattr(importlib.import_module(f"{package}.{module}"), last)
