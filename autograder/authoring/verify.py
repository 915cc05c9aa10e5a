"""Verification that the checks and diagnoses of an exercise work as promised."""

import functools
import statistics
from collections.abc import Callable, Collection, Iterable, Sequence
from types import ModuleType
from typing import Literal, get_args

import msgspec

from autograder.authoring.build import outdated, stub_text
from autograder.authoring.course_submissions import judge_for, read_course_work
from autograder.authoring.mutants import equivalent_mutants, mutants
from autograder.authoring.remarks import (
    check_remarks,
    id_remarks,
    requirement_remarks,
    scale_remarks,
)
from autograder.authoring.simulated import (
    SimulatedClient,
    solution_module,
    with_functions,
    with_misconceptions,
)
from autograder.checks.check_result import CheckResult
from autograder.course.course_file import Course, Exercise
from autograder.course.errors import UserError
from autograder.course.own_modules import importable
from autograder.course.text import several
from autograder.course.variants import tried_variants
from autograder.diagnosis.examination import Answer, Examination
from autograder.diagnosis.misconceptions import Misconception
from autograder.diagnosis.recipe import Fingerprint, Probe, Recipe
from autograder.diagnosis.replay import Replay
from autograder.diagnosis.steps import diagnose
from autograder.grading.author_exceptions import as_authoring_error
from autograder.grading.judge import ALL_CHECKS, RunOptions
from autograder.grading.scoring import Graded
from autograder.report.model import ExerciseReport
from autograder.sandbox.child import InternalError
from autograder.submission.requirements import requirements_in
from autograder.submission.source import (
    Siblings,
    Source,
    from_text,
    read_source,
    with_stated_numbers,
)
from autograder.worker.messages import Unit

SEEDS = 50
QUICK = 50  # --quick tries one in 50 misconceptions, pairs, mutants and seeds
QUICK_RIGHT = 5  # --quick tries the solution and one in 5 right answers
PAIRS = 150  # number of pairs for each function, evenly spaced in the list
PAIRS_SLOW = 25  # for modules and random functions, which are slow
STYLES = 5
DRAWS = 2
Step = Literal["right answers", "stub", "misconceptions", "mutants", "seeds"]
STEPS: tuple[Step, ...] = get_args(Step)
Simulations = Iterable[tuple[str, str, dict[str, object]]]


class Verified(msgspec.Struct):
    """Result of `verify` for an exercise: numbers, and a sentence on each fault."""

    name: str
    checks: int = 0
    right: int = 0
    misconceptions: int = 0
    named: int = 0
    pairs: int = 0
    pairs_named: int = 0
    pairs_both: int = 0
    mutants: int = 0
    rejected: int = 0
    equivalent: int = 0
    seeds: int = 0
    milliseconds: float = 0.0
    faults: list[str] = []
    remarks: list[str] = []


class Verifier:
    """Verifier of an exercise. It tries only every `share`-th misconception, pair and mutant."""

    def __init__(self, course: Course, exercise: Exercise, share: int = 1) -> None:
        self.course = course
        self.share = share
        self.exercise = exercise
        self.result = Verified(exercise.name)
        self._solution = course.solution_file(exercise.name)
        self._about: dict[str, frozenset[str]] = {}
        self._told: set[str] = set()  # checks that reported a wrong answer
        self._stopped: dict[str, list[str]] = {}  # checks that raised an error, and where

    def run(self, steps: Collection[Step] = STEPS) -> Verified:
        """Run the steps in their fixed order. Stop if the grader itself fails."""
        ways: dict[Step, Callable[[], None]] = {
            "right answers": self._right_answers,
            "stub": self._stub,
            "misconceptions": importable(self.course)(self._misconceptions),
            "mutants": self._mutants,
            "seeds": self._seeds,
        }
        with judge_for(self.course, self.exercise) as self._judge:
            try:
                for step in STEPS:
                    if step in steps:
                        ways[step]()
            except InternalError as trouble:
                self._fault(trouble.finding)
                return self.result
            for error in self._judge.catalogue.faults:  # the checks' results do not show these
                self._course_error(error, "the recipes raise an error")
        for check in [each for each in self._stopped if each not in self._told]:
            count = several(len(self._stopped[check]), "wrong answer")
            where = self._stopped[check][0]
            self._fault(f"{check} raises an error before its message, with {count}: {where}")
        return self.result

    def _fault(self, text: str) -> None:
        self.result.faults.append(text)

    def _graded(self, source: Source | SimulatedClient, wanted: RunOptions = ALL_CHECKS) -> Graded:
        """Grade a source.

        Raises:
            InternalError: the grader failed.
        """
        graded = self._judge.run(source, wanted)
        if graded.error is not None:
            raise graded.error
        if isinstance(source, SimulatedClient):
            self._note_stops(graded.results)
        return graded

    def _note_stops(self, results: Iterable[CheckResult]) -> None:
        for result in results:
            function = result.check.function
            if result.stopped:
                self._stopped.setdefault(function, []).append(result.stopped)
            elif result.outcome == "failed" and result.kind is None:
                self._told.add(function)

    @functools.cached_property
    def _sources(self) -> list[tuple[str, Source]]:
        """Return the solution and the alternative solutions, with their names."""
        solution, *others = self.course.right_answers(self.exercise.name)
        sources = [(solution.stem, read_course_work(solution, self.exercise))]
        for path in others:
            try:
                sources.append((path.stem, read_course_work(path, self.exercise)))
            except UserError as error:
                self._fault(f"right answer {path.stem}: {error}")
        return sources

    @functools.cached_property
    def _module(self) -> ModuleType:
        return solution_module(self.course, self.exercise)

    def _right_answers(self) -> None:
        for style, source in self._sources[:: QUICK_RIGHT if self.share > 1 else 1]:
            graded = self._graded(source)
            if not self._about:
                self._about = {r.name: frozenset(r.about) for r in graded.results}
                self.result.remarks += check_remarks(graded.results)
                stated = requirements_in(self._solution.read_text(encoding="utf-8"))
                checks = [each.check for each in graded.results]
                self.result.remarks += requirement_remarks(stated, checks)
                weights = [each.weight for each in checks]
                self.result.remarks += scale_remarks(self.exercise, weights)
            report = graded.report
            self.result.checks = len(report.checks)
            self.result.right += 1
            for check in report.checks:
                if check.outcome not in {"passed", "not run"}:  # "not run" has a fault elsewhere
                    self._fault(f"right answer {style}: {check.title}: {check.finding}")
        if self.exercise.variant != "none":
            self._variants()
        others = len(self._sources) - 1
        if others < STYLES and not self.exercise.questions:
            folder = f"{self.course.content.right}/{self.exercise.name}"
            self.result.remarks.append(
                f"warning: {folder} has {several(others, 'alternative solution')}; write "
                f"{STYLES - others} more, to test that other right answers get full points"
            )

    def _variants(self) -> None:
        """Grade the solution with the numbers of some variants, as students would hand it in."""
        try:
            texts = tried_variants(self.course, self.exercise)
        except UserError as error:
            self._fault(str(error))
            return
        siblings = Siblings(self._solution.parent)
        for variant, own in texts.items():
            source = from_text(own, self.exercise.name, self._solution.name, siblings)
            report = self._graded(with_stated_numbers(source, self.exercise)).report
            self.result.right += 1
            for check in report.checks:
                if check.outcome != "passed":
                    says = f"{check.title}: {check.finding}"
                    self._fault(f"the solution with the numbers of variant {variant}: {says}")

    def _stub(self) -> None:
        path = self.course.handed_out / f"{self.exercise.name}.py"
        try:
            built = stub_text(self.course, self.exercise)
        except UserError as error:
            self._fault(str(error))
        else:
            if outdated(path, built):
                build = f"autograder build {self.exercise.name}"
                self._fault(f"{path} is out of date: the solution has changed. Run: {build}")
        if not path.is_file():
            return
        report = self._graded(read_source(path, self.exercise.name)).report
        if report.points:
            self._fault(f"the stub gets {report.points} points")

    def _misconceptions(self) -> None:
        catalogue = self._judge.catalogue
        for function, recipe in catalogue.recipes(self.exercise.name).items():
            replay = catalogue.replay(self.exercise.name, function)
            assert replay is not None
            self.result.remarks += id_remarks(function, recipe)
            self._apart(function, replay)
            ids, unnamed = set(), set()
            for wrong in recipe.misconceptions[:: self.share]:
                if replay.gives_only_nan(wrong):
                    remark = f"{function}, {wrong.id}: gives only NaN, so it has no name"
                    self.result.remarks.append(remark)
                    continue
                ids.add(wrong.id)
                named = (
                    named_by_answers(replay, wrong)
                    if isinstance(wrong, Fingerprint)
                    else self._named_for(function, recipe, (wrong,))
                )
                if named != {wrong.id}:
                    unnamed.add(wrong.id)
                    names = ", ".join(sorted(named)) or "nothing"
                    self._fault(f"{function}, {wrong.id}: the grader names {names}")
            self.result.misconceptions += len(ids)
            self.result.named += len(ids - unnamed)
            self._pairs(function, recipe, replay)
        simulated = catalogue.mistakes(self.exercise.name).simulated_values
        if simulated is not None:
            self._values(simulated)

    def _course_error(self, error: Exception, doing: str) -> None:
        fault = str(as_authoring_error(error, self.course.grading, self._solution, doing))
        if fault not in self.result.faults:
            self._fault(fault)

    def _values(self, simulated: Callable[[], Simulations]) -> None:
        """Try the misconceptions that are wrong values, not wrong functions."""
        try:
            tries = list(simulated())[:: self.share]
        except Exception as error:
            self._course_error(error, "simulated_values raises an error")
            return
        for name, wrong, values in tries:
            changed = with_functions(self._module, values)  # type: ignore[arg-type]
            report = self._graded(SimulatedClient(self.course, self.exercise, changed)).report
            self.result.misconceptions += 1
            named = named_in(report, name)
            if report.points == report.max_points:
                self._fault(f"{name}, {wrong}: gets full points")
            elif wrong in named:
                self.result.named += 1
            elif named:
                self._fault(f"{name}, {wrong}: the grader names {', '.join(sorted(named))}")
            else:
                self.result.remarks.append(f"{name}, {wrong}: the report has no name for it")

    def _apart(self, function: str, replay: Replay) -> None:
        """Verify that probes distinguish each misconception from others and from right answers."""
        everywhere = range(len(replay.probes(2)))
        singles = replay.singles
        for place, wrong in enumerate(singles):
            if replay.telling(everywhere, wrong) < 2:
                self._fault(
                    f"{function}, {wrong[0].id}: fewer than two probes tell it from the right "
                    "answer"
                )
            for other in singles[place + 1 :]:
                same = other[0].id == wrong[0].id and other[0].finding == wrong[0].finding
                if not same and not replay.apart(everywhere, wrong, other, least=2):
                    self._fault(
                        f"{function}: fewer than two probes tell {wrong[0].id} and {other[0].id} "
                        "apart"
                    )

    def _named_for(
        self, function: str, recipe: Recipe, wrong: tuple[Misconception, ...]
    ) -> set[str]:
        """Return the names that a submission with these misconceptions gets from the grader."""
        changed = with_misconceptions(self._module, recipe, wrong)
        about = frozenset(name for name, of in self._about.items() if function in of)
        client = SimulatedClient(self.course, self.exercise, changed)
        report = self._graded(client, RunOptions(about)).report
        if all(check.outcome == "passed" for check in report.checks):
            self._fault(f"{function}, {' + '.join(each.id for each in wrong)}: gets full points")
        if any(check.outcome == "error" for check in report.checks):
            self._fault(f"{function}, {wrong[0].id}: a check raised an error")
        return named_in(report, function)

    def _pairs(self, function: str, recipe: Recipe, replay: Replay) -> None:
        """Count the pairs of mistakes that are named. A pair that is not named is not a fault."""
        everywhere = range(len(replay.probes(1)))
        known = recipe.misconceptions
        own = [(pair[0], pair[1]) for pair in replay.pairs if all(each in known for each in pair)]
        slow = recipe.comparison.sample is not None or recipe.caller is not None
        step = max(1, len(own) // (PAIRS_SLOW if slow else PAIRS))
        for pair in own[:: step * self.share]:
            looks_like_less = any(
                not replay.apart(everywhere, pair, other) for other in [(), *replay.singles]
            )
            if looks_like_less or all(replay.outcome(i, pair).raised for i in everywhere):
                continue  # one mistake undoes or hides the other, or every call raises an error
            named = self._named_for(function, recipe, pair)
            ids = {each.id for each in pair}
            self.result.pairs += 1
            self.result.pairs_named += bool(named & ids)
            self.result.pairs_both += named == ids

    def _mutants(self) -> None:
        listed = equivalent_mutants(self._solution.parent, self.course.exercises)
        known = listed.get(self.exercise.name, [])
        lines = {each.line for each in known}
        met = set()
        for mutant in mutants(self._solution.read_text(encoding="utf-8"), self.share):
            label = f"{self.exercise.name}.py"
            source = Source(self.exercise.name, label, (Unit(label, mutant.text),))
            graded = self._graded(source, RunOptions(until="a failure"))
            self._note_stops(graded.results)
            self.result.mutants += 1
            if any(result.outcome != "passed" for result in graded.results):
                self.result.rejected += 1
            elif mutant.line in lines:
                self.result.equivalent += 1
                met.add(mutant.line)
            else:
                self._fault(f"a mutant gets full points: {mutant.line} ({mutant.operator})")
        for line in sorted(lines - met) if self.share == 1 else ():
            self._fault(f"listed as equivalent, but no such mutant gets full points: {line}")

    def _seeds(self) -> None:
        """Grade the right answers in turn, each with a new seed, and measure the checks' time."""
        seconds: dict[str, list[float]] = {}
        failed: dict[str, list[str]] = {}
        for seed in range(0, SEEDS, self.share):
            style, source = self._sources[seed % len(self._sources)]
            graded = self._graded(source, RunOptions(seed=seed))
            lost = [check for check in graded.report.checks if check.outcome != "passed"]
            if lost:
                message = f"{style}, seed {seed}: {lost[0].finding}"
                failed.setdefault(lost[0].title, []).append(message)
            if source is self._sources[0][1]:
                for name, taken in graded.seconds.items():
                    seconds.setdefault(name, []).append(taken)
            self.result.seeds += 1
        for title, messages in failed.items():
            count = f"{len(messages)} of {several(self.result.seeds, 'seed')}"
            self._fault(f"right answers fail “{title}” with {count}. The first: {messages[0]}")
        medians = {name: statistics.median(taken) for name, taken in seconds.items()}
        self.result.milliseconds = 1000 * sum(medians.values())


def named_in(report: ExerciseReport, function: str) -> set[str]:
    """Return the misconceptions of a function that are named in failed checks."""
    diagnoses = (check.diagnosis for check in report.checks)
    named = (each for each in diagnoses if each is not None and each.kind == "named")
    return {name for each in named if each.function == function for name in each.misconceptions}


def named_by_answers(replay: Replay, wrong: Fingerprint) -> set[str]:
    """Return the names that a mistake gets if it has recorded answers but no code.

    The checks cannot run such a mistake. A check failed when the mistake was recorded. If the
    recipe's probes have changed since then, the mistake gets no name.
    """
    if not wrong.outcomes:
        return set()
    probes = list(replay.probes(DRAWS))

    def ask(probe: Probe) -> Answer:
        place = next((n for n, each in enumerate(probes) if each is probe), len(probes))
        return Answer(wrong.outcome(place))

    diagnosis = diagnose(Examination(replay, ask))
    return set(diagnosis.misconceptions) if diagnosis and diagnosis.kind == "named" else set()


COLUMNS = (
    "exercise",
    "checks",
    "correct answers",
    "misconceptions named",
    "pairs with one name",
    "pairs with both names",
    "mutants rejected",
    "equivalent",
    "seeds",
    "ms",
)


def row(verified: Verified) -> list[str]:
    """Return the cells of an exercise's row, in the order of `COLUMNS`."""
    return [
        verified.name,
        str(verified.checks),
        str(verified.right),
        f"{verified.named} of {verified.misconceptions}",
        _share(verified.pairs_named, verified.pairs),
        _share(verified.pairs_both, verified.pairs),
        f"{verified.rejected} of {verified.mutants}",
        str(verified.equivalent),
        str(verified.seeds),
        f"{verified.milliseconds:.0f}",
    ]


def markdown(results: Sequence[Verified]) -> str:
    """Return the table and the faults as Markdown."""
    lines = [f"| {' | '.join(COLUMNS)} |", f"|{'---|' * len(COLUMNS)}"]
    lines += [f"| {' | '.join(row(verified))} |" for verified in results]
    for verified in results:
        lines += [f"- {verified.name}: {text}" for text in verified.faults]
    return "\n".join(lines) + "\n"


def _share(part: int, whole: int) -> str:
    return f"{part} of {whole} ({part / whole:.0%})" if whole else "–"
