"""Verification of the checks and diagnoses of an exercise.

Faults are errors of the course. Remarks are suggestions for the author.
"""

import functools
import itertools
import statistics
from collections.abc import Callable, Collection, Iterable, Sequence
from types import ModuleType
from typing import Any, Literal, get_args

import msgspec

from autograder.authoring.build import outdated, stub_text
from autograder.authoring.course_submissions import (
    SimulatedWorkers,
    judge_for,
    solution_module,
    with_functions,
    with_misconceptions,
    wrong_answers,
)
from autograder.authoring.mutants import equivalent_mutants, mutants
from autograder.authoring.remarks import (
    check_remarks,
    forbidden_faults,
    hint_faults,
    id_remarks,
    lesson_remarks,
    requirement_remarks,
    scale_remarks,
)
from autograder.checks.check_result import Check
from autograder.course.course_file import Course, Exercise
from autograder.course.errors import UserError
from autograder.course.own_modules import importable
from autograder.course.text import few, several
from autograder.course.variants import tried_variants
from autograder.diagnosis.examination import Answer, Examination
from autograder.diagnosis.mistakes import probe_hash
from autograder.diagnosis.recipe import Fingerprint, Misconception, Recipe
from autograder.diagnosis.replay import Replay
from autograder.diagnosis.steps import diagnose
from autograder.grading.author_exceptions import as_authoring_error
from autograder.grading.judge import ALL_CHECKS, RunOptions
from autograder.grading.scoring import Graded
from autograder.report.model import ExerciseReport
from autograder.sandbox.child import InternalError
from autograder.sandbox.session import WorkerSession
from autograder.submission.source import (
    Siblings,
    Source,
    from_text,
    read_source,
    required_source,
    with_stated_numbers,
)
from autograder.submission.stubs import requirements_in
from autograder.worker.messages import Unit

SEEDS = 50
DRAWS = 2
QUICK = 100  # --quick tries one in 100 misconceptions, pairs, mutants and seeds
QUICK_RIGHT = 20  # --quick tries the solution and one in 20 right answers
PAIRS = 150  # number of pairs for each function, evenly spaced in the list
PAIRS_SLOW = 25  # for modules and random functions, which are slow
STYLES = 5
PAIRS_NAMED = 0.8  # a smaller share causes a warning
Say = Callable[[str], object]
Step = Literal["right answers", "stub", "misconceptions", "mutants", "seeds"]
STEPS: tuple[Step, ...] = get_args(Step)


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
    """Verifier of an exercise. It tries every `share`-th misconception, pair and mutant."""

    def __init__(
        self, course: Course, exercise: Exercise, share: int = 1, say: Say = lambda _: None
    ) -> None:
        self.course = course
        self._say = say
        self.share = share
        self.exercise = exercise
        self.result = Verified(exercise.name)
        self._solution = course.solution_file(exercise.name)
        self._about: dict[str, frozenset[str]] = {}
        self._told: set[str] = set()  # checks that reported a wrong answer
        self._lost: dict[str, list[str]] = {}  # findings on right answers, and the answers
        self._failing: set[str] = set()  # right answers that lose points
        self._is_sound = True  # whether the solution itself gets full points
        self._functions: dict[str, str] = {}  # the checks, and their functions
        self._mutated: list[Source] = []
        self._missed = ""  # the first failed check on the last wrong answer
        self._lacking: dict[str, set[str]] = {}  # names of what modules that compute recipes lack
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
                    if step in steps and self._is_sound:
                        self._say(f"{self.exercise.name}: {step} …")
                        ways[step]()
            except InternalError as trouble:
                self._fault(trouble.finding)
                return self.result
            if self._is_sound and self.share == 1 and {"misconceptions", "mutants"} <= {*steps}:
                importable(self.course)(self._repeat)()
                self._prove()
            for error in self._judge.catalogue.faults:  # the checks' results do not show these
                self._course_error(error, "the recipes raise an error")
        if not self._is_sound:
            self._fault("the solution itself is wrong, so nothing else was tried")
            return self.result
        for check in [each for each in self._stopped if each not in self._told]:
            count = several(len(self._stopped[check]), "wrong answer")
            where = self._stopped[check][0]
            self._fault(f"{check} raises an error before its message, with {count}: {where}")
        return self.result

    def _fault(self, text: str) -> None:
        self.result.faults.append(text)

    def _course_error(self, error: Exception, doing: str) -> None:
        fault = str(as_authoring_error(error, self.course.grading, self._solution, doing))
        if fault not in self.result.faults:
            self._fault(fault)

    def _graded(self, source: Source | WorkerSession, wanted: RunOptions = ALL_CHECKS) -> Graded:
        graded = self._judge.run(source, wanted)
        if graded.error is not None:
            raise graded.error
        return graded

    def _graded_wrong(self, source: Source | ModuleType, wanted: RunOptions = ALL_CHECKS) -> Graded:
        if isinstance(source, ModuleType):
            workers = SimulatedWorkers(self.course, self.exercise, source)
            graded = self._graded(WorkerSession(workers), wanted)
        else:
            graded = self._graded(source, wanted)
        for result in graded.results:
            if result.stopped:
                self._stopped.setdefault(result.check.function, []).append(result.stopped)
            elif result.outcome == "failed" and result.kind is None:
                self._told.add(result.check.function)
        return graded

    @functools.cached_property
    def _sources(self) -> list[tuple[str, Source]]:
        solution, *others = self.course.right_answers(self.exercise.name)
        sources = [(solution.stem, required_source(solution, self.exercise))]
        for path in others:
            try:
                sources.append((path.stem, required_source(path, self.exercise)))
            except UserError as error:
                self._fault(f"right answer {path.stem}: {error}")
        return sources

    def _right_answers(self) -> None:
        remarks = self.result.remarks
        for style, source in self._sources[:: QUICK_RIGHT if self.share > 1 else 1]:
            graded = self._graded(source)
            if not self._about:
                self._about = {r.name: frozenset(r.about) for r in graded.results}
                with importable(self.course):
                    self._read([each.check for each in graded.results])
            # a check that was not run has a fault elsewhere
            self._expect_full_points(f"right answer {style}", graded, {"passed", "not run"})
            if style == self._solution.stem and self._lost:
                self._is_sound = False
                break
        if self.exercise.variant != "none" and self._is_sound:
            self._variants()
        for finding, answers in self._lost.items():
            more = f" The same in {few(answers[1:], 3)}." if len(answers) > 1 else ""
            self._fault(f"{answers[0]}: {finding}{more}")
        others = len(self._sources) - 1
        if others < STYLES and not self.exercise.questions:
            folder = f"{self.course.content.right}/{self.exercise.name}"
            remarks.append(
                f"warning: {folder} has {several(others, 'alternative solution')}; write "
                f"{STYLES - others} more, to test that other right answers get full points"
            )

    def _read(self, checks: Sequence[Check]) -> None:
        text = self._solution.read_text(encoding="utf-8")
        recipes = self._judge.catalogue.recipes(self.exercise.name).values()
        faults, remarks = self.result.faults, self.result.remarks
        faults += forbidden_faults(self.exercise.forbids)
        faults += hint_faults(checks, recipes, text)
        remarks += check_remarks(checks)
        remarks += lesson_remarks(text)
        remarks += requirement_remarks(requirements_in(text), checks)
        remarks += scale_remarks(self.exercise, [each.weight for each in checks])
        self.result.checks = len(checks)
        self._functions = {each.name: each.function for each in checks}

    def _expect_full_points(self, name: str, graded: Graded, outcomes: set[str]) -> None:
        self.result.right += 1
        for check in graded.report.checks:
            if check.outcome not in outcomes:
                self._lost.setdefault(check.finding, []).append(f"{name}: {check.title}")
                self._failing.add(name)

    def _variants(self) -> None:
        """Grade the solution with the numbers of some variants, as if students handed it in."""
        try:
            texts = tried_variants(self.course, self.exercise)
        except UserError as error:
            self._fault(str(error))
            return
        siblings = Siblings(self._solution.parent)
        for variant, own in texts.items():
            source = from_text(own, self.exercise.name, self._solution.name, siblings)
            graded = self._graded(with_stated_numbers(source, self.exercise))
            name = f"the solution with the numbers of variant {variant}"
            self._expect_full_points(name, graded, {"passed"})

    def _stub(self) -> None:
        path = self.course.handed_out / f"{self.exercise.name}.py"
        try:
            if outdated(path, stub_text(self.course, self.exercise)):
                build = f"autograder build {self.exercise.name}"
                self._fault(f"{path} is out of date: the solution has changed. Run: {build}")
        except UserError as error:
            self._fault(str(error))
        if path.is_file():
            report = self._graded(read_source(path, self.exercise.name)).report
            if report.points:
                self._fault(f"the stub gets {report.points} points")

    def _misconceptions(self) -> None:
        catalogue, result = self._judge.catalogue, self.result
        try:
            self._module = solution_module(self.course, self.exercise)
        except Exception as error:
            self._course_error(error, "the solution cannot be loaded")
            self._is_sound = False
            return
        for function, recipe in catalogue.recipes(self.exercise.name).items():
            replay = catalogue.replay(self.exercise.name, function)
            assert replay is not None
            result.remarks += id_remarks(function, recipe)
            self._repeat_probes(function, recipe)
            alike = self._apart(function, replay)
            ids, unnamed = set(), set()
            reasons: dict[str, list[str]] = {}
            for wrong in recipe.misconceptions[:: self.share]:
                if replay.gives_only_nan(wrong):
                    result.remarks.append(f"{function}, {wrong.id}: only NaN, so it has no name")
                    continue
                ids.add(wrong.id)
                if isinstance(wrong, Fingerprint):
                    named = named_by_answers(replay, wrong)
                else:
                    named = self._named_for(function, recipe, (wrong,))
                if named != {wrong.id}:
                    unnamed.add(wrong.id)
                    names = ", ".join(sorted(named)) or "nothing"
                    reason = f"the grader names {names}. A failed check says: {self._missed}"
                    reasons.setdefault(reason, []).append(wrong.id)
            for reason, wrongs in reasons.items():
                few_ids = few(list(dict.fromkeys(wrongs)), 5)
                if not alike.issuperset(wrongs):  # these already have a fault
                    self._fault(f"{function}, {few_ids}: {reason}")
            result.misconceptions += len(ids)
            result.named += len(ids - unnamed)
            self._pairs(function, recipe, replay)
            self._points_lost_again(function, recipe, replay)
        if result.pairs_named < PAIRS_NAMED * result.pairs:
            shares = f"{result.pairs_named} of {result.pairs}"
            result.remarks.append(f"warning: only {shares} pairs of mistakes get a name")
        self._values(catalogue.mistakes(self.exercise.name).simulated_values)

    def _repeat_probes(self, function: str, recipe: Recipe) -> None:
        hashes = [[probe_hash(each) for each in recipe.calls(0)] for _ in range(2)]
        first, second = ([(each.kind, str(each.sums)) for each in calls] for calls in hashes)
        if first != second:
            self._fault(f"the probes of {function} change; draw random numbers from `rng`")

    def _values(self, simulated: Callable[[], Iterable[Any]] | None) -> None:
        try:
            tries = list(simulated() if simulated is not None else ())[:: self.share]
        except Exception as error:
            self._course_error(error, "simulated_values raises an error")
            return
        for name, wrong, values in tries:
            report = self._graded_wrong(with_functions(self._module, values)).report
            named = named_in(report, name)
            self.result.misconceptions += 1
            self.result.named += wrong in named and report.points < report.max_points
            if report.points == report.max_points:
                self._fault(f"{name}, {wrong}: gets full points")
            elif not named:
                self.result.remarks.append(f"{name}, {wrong}: the report has no name for it")
            elif wrong not in named:
                self._fault(f"{name}, {wrong}: the grader names {', '.join(sorted(named))}")

    def _apart(self, function: str, replay: Replay) -> set[str]:
        """Verify that probes distinguish each misconception from others and from correct code."""
        alike: set[str] = set()
        everywhere = range(len(replay.probes(2)))
        fewer = f"{function}: fewer than two probes tell"
        for place in range(0, len(replay.singles), self.share):
            wrong = replay.singles[place]
            if replay.telling(everywhere, wrong) < 2:
                self._fault(f"{fewer} {wrong[0].id} from the right answer")
                alike.add(wrong[0].id)
            for other in replay.singles[place + 1 :]:
                same = other[0].id == wrong[0].id and other[0].finding == wrong[0].finding
                if not same and not replay.apart(everywhere, wrong, other, least=2):
                    self._fault(f"{fewer} {wrong[0].id} and {other[0].id} apart")
                    alike |= {wrong[0].id, other[0].id}
        return alike

    def _named_for(
        self, function: str, recipe: Recipe, wrong: tuple[Misconception, ...]
    ) -> set[str]:
        changed = with_misconceptions(self._module, recipe, wrong)
        wanted = RunOptions(frozenset(n for n, of in self._about.items() if function in of))
        report = self._graded_wrong(changed, wanted).report
        failed = [check.finding for check in report.checks if check.outcome != "passed"]
        self._missed = failed[0] if failed else ""
        if not failed:
            self._fault(f"{function}, {' + '.join(each.id for each in wrong)}: gets full points")
        if any(check.outcome == "error" for check in report.checks):
            self._fault(f"{function}, {wrong[0].id}: a check raised an error")
        if recipe.caller is not None and function not in self._lacking:
            right = self._graded_wrong(with_misconceptions(self._module, recipe, ()), wanted)
            self._lacking[function] = named_in(right.report, function)
        return named_in(report, function) - self._lacking.get(function, set())

    def _pairs(self, function: str, recipe: Recipe, replay: Replay) -> None:
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

    def _points_lost_again(self, function: str, recipe: Recipe, replay: Replay) -> None:
        """Warn if a mistake in a function also fails checks of functions that call it."""
        others = frozenset(name for name, of in self._about.items() if of and function not in of)
        is_used = self._solution.read_text(encoding="utf-8").count(f"{function}(") > 1
        if not (others and is_used) or recipe.comparison.sample or recipe.caller:  # these are slow
            return
        lost: dict[str, list[str]] = {}  # names of mistakes, by check and reason
        for wrong in recipe.misconceptions[:: self.share]:
            if isinstance(wrong, Fingerprint) or replay.gives_only_nan(wrong):
                continue
            changed = solution_module(self.course, self.exercise)  # its functions call the step
            vars(changed).update(vars(with_misconceptions(changed, recipe, (wrong,))))
            for each in self._graded_wrong(changed, RunOptions(others)).results:
                if each.outcome == "failed":
                    place = f"{each.name} ({each.refused or 'no follow-through'})"
                    lost.setdefault(place, []).append(wrong.id)
        for place, ids in lost.items():
            names = f"{function}, {few(list(dict.fromkeys(ids)), 4)}"
            self.result.remarks.append(f"warning: {names}: costs points more than once: {place}")

    def _mutants(self) -> None:
        listed = equivalent_mutants(self._solution.parent, self.course.exercises)
        lines = {each.line.strip() for each in listed.get(self.exercise.name, [])}
        met = set()
        label = f"{self.exercise.name}.py"
        for mutant in mutants(self._solution.read_text(encoding="utf-8"), self.share):
            source = Source(self.exercise.name, label, (Unit(label, mutant.text),))
            self._mutated.append(source)
            results = self._graded_wrong(source, RunOptions(until="a failure")).results
            self.result.mutants += 1
            if any(result.outcome != "passed" for result in results):
                self.result.rejected += 1
            elif mutant.line in lines:
                self.result.equivalent += 1
                met.add(mutant.line)
            else:
                self._fault(f"a mutant gets full points: {mutant.line} ({mutant.operator})")
        if not self.result.mutants and self.share == 1 and not self.exercise.questions:
            self.result.remarks.append("warning: no operator changes the solution: 0 mutants")
        for line in sorted(lines - met) if self.share == 1 else ():
            self._fault(f"listed as equivalent, but no such mutant gets full points: {line}")

    def _repeat(self) -> None:
        stub = self.course.handed_out / f"{self.exercise.name}.py"
        for name, function in self._functions.items():
            only, runs = RunOptions(frozenset({name})), []
            for _ in range(2):
                workers = SimulatedWorkers(self.course, self.exercise, self._module)
                self._graded(WorkerSession(workers), only)
                reports = [self._graded(read_source(stub, self.exercise.name), only).encoded]
                runs.append((workers.asked, reports))
            if runs[0] != runs[1]:
                self._fault(f"{function} makes other calls in a second run; draw from `rng`")

    def _prove(self) -> None:
        for source in itertools.chain(wrong_answers(self.course, self.exercise), self._mutated):
            left = {name for name, of in self._functions.items() if of not in self._told}
            if left:
                self._graded_wrong(source, RunOptions(frozenset(left)))
        for function in dict.fromkeys(self._functions.values()):
            if function not in self._told and not self.exercise.questions:
                folder = f"examples/wrong/{self.exercise.name}"
                self._fault(f"{function} fails for no wrong answer; add one to {folder}")

    def _seeds(self) -> None:
        """Grade the correct solutions in turn, each with a new seed, and measure the time."""
        seconds: dict[str, list[float]] = {}
        failed: dict[str, list[str]] = {}
        sources = [each for each in self._sources if f"right answer {each[0]}" not in self._failing]
        for seed in range(0, SEEDS, self.share):
            style, source = sources[seed % len(sources)]
            graded = self._graded(source, RunOptions(seed=seed))
            failing = [each for each in graded.report.checks if each.outcome != "passed"]
            if failing:
                message = f"{style}, seed {seed}: {failing[0].finding}"
                failed.setdefault(failing[0].title, []).append(message)
            if source is sources[0][1]:
                for name, taken in graded.seconds.items():
                    seconds.setdefault(name, []).append(taken)
            self.result.seeds += 1
        for title, messages in failed.items():
            count = f"{len(messages)} of {several(self.result.seeds, 'seed')}"
            self._fault(f"right answers fail “{title}” for {count}. The first: {messages[0]}")
        self.result.milliseconds = 1000 * sum(map(statistics.median, seconds.values()))


def named_in(report: ExerciseReport, function: str) -> set[str]:
    diagnoses = (check.diagnosis for check in report.checks)
    named = (each for each in diagnoses if each is not None and each.kind == "named")
    return {name for each in named if each.function == function for name in each.misconceptions}


def named_by_answers(replay: Replay, wrong: Fingerprint) -> set[str]:
    """Return the names that a mistake's recorded results get. Without such results, return none."""
    if not wrong.outcomes:
        return set()
    places = {id(probe): place for place, probe in enumerate(replay.probes(DRAWS))}
    ask = lambda probe: Answer(wrong.outcome(places.get(id(probe), len(places))))  # noqa: E731
    diagnosis = diagnose(Examination(replay, ask))
    return set(diagnosis.misconceptions) if diagnosis and diagnosis.kind == "named" else set()
