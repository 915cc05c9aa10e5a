"""Records for the diagnosis in a student kit: the results of each misconception."""

import contextlib
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from autograder.checks.check_result import NotJudged
from autograder.checks.module_weights import USUAL_NAMES
from autograder.checks.projection_hash import require_plain_data
from autograder.checks.recorded_answers import packed_value
from autograder.course.course_file import Course, Exercise
from autograder.course.own_modules import importable
from autograder.course.text import join_names
from autograder.diagnosis.callers import ModuleCaller, TensorCaller
from autograder.diagnosis.general import GENERAL
from autograder.diagnosis.mistakes import known_mistakes
from autograder.diagnosis.outcome import EXACT
from autograder.diagnosis.recipe import LibraryObject, Misconception, Probe, Recipe, ScriptCaller
from autograder.diagnosis.recorded_replay import (
    RecordedFunction,
    RecordedMisconception,
    RecordedNames,
    RecordedOutcome,
    RecordedPairs,
    RecordedProbe,
    kind_and_sum,
    shuffled,
)
from autograder.diagnosis.replay import Changes as Together
from autograder.diagnosis.replay import Replay
from autograder.diagnosis.wiring import wirings

DRAWS = 2
DECIMALS, LARGE = 2.0**27, 2.0**20  # wrong results below LARGE are rounded to 1 / DECIMALS
MOST_FAMILIES = 400  # number of families for each function; the simplest come first
NOT_PLAIN = (NotJudged, TypeError, ValueError)


Calls = Iterator[tuple[Recipe, dict[str, Any] | None, str | None]]


def _calls(course: Course, exercise: Exercise) -> Calls:
    """Yield each recipe, with data on how to call the function and what reads its results.

    None instead of the data means that they need code outside the helper modules.
    """
    recipes = known_mistakes(course.content.reference, exercise.name).recipes.values()
    helpers: dict[int, str] = {}  # names of functions and classes, by the identity of the object
    for name in course.content.helpers:
        module = sys.modules.get(f"{course.content.reference}.{name}")
        for each, value in vars(module).items() if module is not None else ():
            helpers.setdefault(id(value), f"{name}.{each}")
    for recipe in recipes:
        read = recipe.comparison.read
        yield recipe, _call(recipe, helpers), "" if read is EXACT.read else helpers.get(id(read))


def _call(recipe: Recipe, helpers: Mapping[int, str]) -> dict[str, Any] | None:
    caller = recipe.caller
    if caller is None:
        return {"kind": "plain"}
    ask = type(caller).ask  # a subclass may override it
    if ask is TensorCaller.ask or ask is ScriptCaller.ask:
        return {"kind": "tensors" if ask is TensorCaller.ask else "script"}
    if not isinstance(caller, ModuleCaller) or ask is not ModuleCaller.ask:
        for kind in type(caller).__mro__:
            if id(kind) in helpers and getattr(kind, "ask", None) is ask:
                return {"kind": "helper", "name": helpers[id(kind)]}
        return None
    if id(caller.words) not in helpers and caller.words is not USUAL_NAMES:
        return None
    return {
        "kind": "module",
        "built_with": list(caller.built_with),
        "called_with": list(caller.called_with),
        "weights": dict(caller.weights),
        "words": helpers.get(id(caller.words), ""),
    }


def names_of(course: Course, exercise: Exercise, hints: int) -> RecordedNames:
    """Return the recorded mistakes of an exercise. Each has at most `hints` hints."""
    functions = []
    with importable(course):
        for recipe, call, read in _calls(course, exercise):
            if call is not None and read is not None:
                with contextlib.suppress(*NOT_PLAIN):  # a probe that is not plain data
                    functions.append(ReplayRecorder(recipe, hints).function(call, read))
    return RecordedNames(functions)


def reasons_without_names(course: Course, exercise: Exercise) -> Iterator[str]:
    """Yield a reason for each function whose mistakes a released course cannot name."""
    for recipe, call, read in _calls(course, exercise):
        code: list[str] = []
        if call is None:
            words = type(recipe.caller).ask is ModuleCaller.ask  # type: ignore[union-attr]
            code.append("its `words`" if words else f"its caller {type(recipe.caller).__name__}")
        if read is None:
            code.append(getattr(recipe.comparison.read, "__name__", "what reads its results"))
        if code:
            yield (
                f"the kit names no mistake of {recipe.function}, since {join_names(code)} of its "
                f"recipe is in no module under `helpers` in course.yml"
            )


def helpers_of(course: Course, exercises: Sequence[Exercise]) -> set[str]:
    """Return the helper modules that recipes need to call functions or to read results."""
    modules = set()
    for exercise in exercises:
        for _, call, read in _calls(course, exercise):
            names = [read, (call or {}).get("words"), (call or {}).get("name")]
            modules |= {name.rpartition(".")[0] for name in names if name}
    return modules


class ReplayRecorder:
    """Recorder of the results that a recipe's mistakes give for its probes."""

    def __init__(self, recipe: Recipe, hints: int) -> None:
        self.recipe = recipe
        self.hints = hints
        self.replay = Replay(recipe)
        self.probes = self.replay.probes(DRAWS)
        self.signatures: dict[str, int] = {}
        self.gave: dict[RecordedOutcome, int] = {}
        self.wrong: dict[Misconception, int] = {}

    def function(self, call: dict[str, Any], read: str) -> RecordedFunction:
        """Return the record of the function: its probes, its mistakes and their outcomes."""
        recipe, replay = self.recipe, self.replay
        exact = recipe.comparison.is_exact
        singles = [self._place(wrong[0]) for wrong in replay.singles]
        pairs = self._pairs()
        families = self._families() if exact else []
        family_places = [self._place(wrong[0]) for wrong in families]
        everywhere = range(len(self.probes))
        whole = [(), *replay.singles, *(pairs if not exact else [])]
        outcomes = [[self._gave(i, wrong) for wrong in whole] for i in everywhere]
        styled = [[self._gave(i, (style,)) for style in replay.alternatives] for i in everywhere]
        hints = self.hints
        return RecordedFunction(
            name=recipe.function,
            parameters=list(recipe.parameters),
            defaults=packed_value(dict(recipe.defaults)),
            results=list(recipe.results),
            precision=np.dtype(recipe.comparison.precision).str,
            by_kind=recipe.comparison.by_kind,
            random=not exact,
            read=read,
            call=call,
            traits=[(trait.when, trait.otherwise, trait.both_ways) for trait in recipe.traits],
            drawn=len(self.probes) // DRAWS,
            probes=[self._probed(probe) for probe in self.probes],
            wrong=[RecordedMisconception(w.id, w.finding, w.hints[:hints]) for w in self.wrong],
            singles=singles,
            signatures=list(self.signatures),
            gave=list(self.gave),
            outcomes=outcomes,
            styled=styled,
            pairs=[(self.wrong[a], self.wrong[b]) for a, b, *_ in pairs],
            families=family_places,
            paired=[] if not exact else [self._paired(i, [*pairs, *families]) for i in everywhere],
        )

    def _pairs(self) -> list[Any]:
        general = {misconception.id for misconception in GENERAL}
        own = (pair for pair in self.replay.pairs if not {pair[0].id, pair[1].id} & general)
        return [pair for pair in own if pair[1] in self.wrong]

    def _families(self) -> Sequence[tuple[Misconception, ...]]:
        wired = {wrong.id for wrong in wirings(self.recipe)}
        alone = [each for each in self.replay.families if len(each) == 1]
        return [each for each in alone if each[0].id not in wired][:MOST_FAMILIES]

    def _place(self, wrong: Misconception) -> int:
        return self.wrong.setdefault(wrong, len(self.wrong))

    def _probed(self, probe: Probe) -> RecordedProbe:
        state = self.recipe.right(probe)
        made = {n: a.target for n, a in enumerate(probe.args) if isinstance(a, LibraryObject)}
        args = [list(a.args) if isinstance(a, LibraryObject) else a for a in probe.args]
        result = getattr(state, "result", None) if self.recipe.caller is not None else None
        require_plain_data(result)
        plain = [args, dict(probe.kwargs)]
        require_plain_data(plain)
        return RecordedProbe(
            given=packed_value(plain),
            made=made,
            condition=float(probe.condition),
            traits=[trait.of(state) for trait in self.recipe.traits],
            sizes={name: int(size) for name, size in self.recipe.axes(state).items()},
            result=b"" if result is None else packed_value(result),
        )

    def _gave(self, index: int, wrong: Together) -> int:
        outcome = self.replay.outcome(index, wrong)
        numbers, single = outcome.numbers, False
        with np.errstate(over="ignore", invalid="ignore"):
            if wrong:  # eight decimals, far below the tolerance, compress better
                rounded = np.round(numbers * DECIMALS) / DECIMALS
                numbers = np.where(np.abs(numbers) < LARGE, rounded, numbers)
            half = numbers.astype(np.float32)
        if np.array_equal(half.astype(np.float64), numbers, equal_nan=True):
            numbers, single = half, True  # type: ignore[assignment]
        recorded = RecordedOutcome(
            signature=self.signatures.setdefault(outcome.signature, len(self.signatures)),
            numbers=numbers.tobytes(),
            single=single,
            allowed=b"" if outcome.allowed is None else outcome.allowed.tobytes(),
            parts=b"" if wrong else packed_value([np.asarray(part) for part in outcome.parts]),
        )
        return self.gave.setdefault(recorded, len(self.gave))

    def _paired(self, index: int, wrongs: Sequence[Together]) -> RecordedPairs:
        known: dict[tuple[bytes, float], int] = {}
        which = []
        for wrong in wrongs:
            kind, total, _ = kind_and_sum(self.replay.outcome(index, wrong))
            which.append(known.setdefault((kind, total), len(known)))
            self.replay.cache.pop((index, wrong), None)
        return RecordedPairs(
            which=np.array(which, "<u2").tobytes(),
            kinds=[kind for kind, _ in known],
            sums=shuffled(np.array([total for _, total in known], float)),
        )
