"""Verified repair: small edits of a student's own code after which every check passes.

Nothing here guesses. An edit counts once the edited file has passed all checks, also with other
inputs, and what is said of it is that: with a change in this line, they pass.
"""

import ast
import contextlib
import warnings
from collections.abc import Iterator, Sequence
from weakref import WeakKeyDictionary

import msgspec

from autograder.checks.check_result import CheckResult
from autograder.course.course_file import Exercise, HintPolicy
from autograder.diagnosis.repair.edits import BY_TURNS, NO_LINES, Edit, Suspects, edits, in_order
from autograder.diagnosis.repair.sentences import Found, describe_repair
from autograder.diagnosis.repair.targets import (
    Fitness,
    Targets,
    find_targets,
    fitness_of,
    passes,
    targets_by_function,
)
from autograder.diagnosis.repair.templates import templates
from autograder.diagnosis.repair.traces import (
    Known,
    Lines,
    feeding_lines,
    first_departure,
    lines_run,
    values_in,
    values_of_right_answers,
    with_line_marks,
    with_value_marks,
)
from autograder.diagnosis.repair.tree import Function, Tree, read_trees
from autograder.grading.judge import Judge, RunOptions
from autograder.grading.scoring import Graded
from autograder.grading.trials import SharedWorker, TrialSession
from autograder.report.model import ExerciseReport, Repair
from autograder.sandbox.child import InternalError
from autograder.sandbox.spawn import also_warm
from autograder.submission.source import Source
from autograder.worker.messages import Unit

OTHER_SEEDS = 2
TIMED_OUT = 3  # so many edits may run out of time
TOTAL_SECONDS = 20.0  # of the processor, for all trials: a guard that only what hangs comes near
ANSWERS, SLOW_ANSWERS = 5, 2  # right answers whose values are looked at, the solution first
FIRSTS = 4  # so many edits are tried together with another


class Reach(msgspec.Struct, frozen=True):
    """The number of edits that are tried: in all, after one has passed, and beside another."""

    in_all: int
    after_first: int
    beside_another: int


USUAL = Reach(500, 100, 60)
TORCH = Reach(300, 30, 20)
HEAVY = Reach(170, 30, 20)  # with figures of which nothing was asked
SLOW = Reach(60, 15, 0)  # where chance is drawn, or code of the course's runs beside the file


def is_worth_looking(
    exercise: Exercise, source: Source, results: Sequence[CheckResult], policy: HintPolicy
) -> bool:
    """Return whether checks failed in a way without a name, and the policy lets more be said."""
    outcomes = {result.outcome for result in results}
    if policy == "exam" or exercise.questions or not exercise.repair or "failed" not in outcomes:
        return False
    if not outcomes <= {"passed", "failed", "not run", "graded when handed in"}:
        return False  # what crashes, or does not end, would do so many times
    if any(result.kind == "not loaded" for result in results):
        return False
    return bool(find_targets(source, results).failed)


def with_repair(judge: Judge, graded: Graded) -> ExerciseReport:
    """Return the report with what `look_for_repair` finds."""
    return msgspec.structs.replace(graded.report, repair=look_for_repair(judge, graded))


def look_for_repair(judge: Judge, graded: Graded) -> Repair | None:
    """Return what a search for a verified repair finds; points and results are as they were."""
    try:
        found = _search(judge, graded)
    except (InternalError, RecursionError, MemoryError):  # the report stands without it
        return None
    return describe_repair(found, shown_only=judge.course.content.released is not None)


def _search(judge: Judge, graded: Graded) -> list[Found]:
    """Try the edits for all functions at once, and then for one function at a time."""
    targets = find_targets(graded.session.source, graded.results)
    by_function = targets_by_function(graded.results, targets)

    def found_for(targets: Targets, in_pairs: bool) -> Found:
        with contextlib.closing(SharedWorker(judge.children)) as worker:
            return _Search(judge, graded, targets, worker).run(in_pairs)

    found = found_for(targets, in_pairs=not by_function)
    if found.edits or found.together or not by_function:
        return [found]
    return [found_for(targets, in_pairs=True) for targets in by_function]


# What the right answers compute in some checks, by exercise and checks; kept for later searches.
_KNOWN: WeakKeyDictionary[Judge, dict[tuple[str, ...], Known]] = WeakKeyDictionary()


class _Search:
    """A search for one submission and some targets, whose trials share a process."""

    def __init__(
        self, judge: Judge, graded: Graded, targets: Targets, worker: SharedWorker
    ) -> None:
        self.judge = judge
        self.exercise = graded.exercise
        self.source = graded.session.source
        self.results = graded.results
        self.targets = targets
        self.worker = worker
        self.right_answers = judge.course.right_answers(self.exercise.name)
        self.trees = read_trees(self.source.units)
        self.templates = templates(self.right_answers)
        self._spent = 0.0
        self._timed_out = 0
        self._firsts: list[tuple[Fitness, int, Edit]] = []

    def run(self, in_pairs: bool) -> Found:
        """Try the edits, best first; `in_pairs` two at once where no single one does."""
        failed = [result for result in self.results if result.name in self.targets.failed]
        panel = [result.name for result in failed if not result.hidden]
        passing = [r.name for r in self.results if r.outcome == "passed" and not r.hidden]
        live = self._lines(panel)
        reach = self._reach()
        also_passing = self._lines(passing) if live else NO_LINES
        raised = self._raised(failed)
        departing, fine = self._departing(panel)
        suspects = Suspects(
            also_passing,
            raised,
            Lines(feeding_lines(self.trees, raised | departing)),
            departing,
            NO_LINES if raised else fine,  # the values may be right and their axes not
        )
        ranked = in_order(edits(self.trees, live, self.templates), suspects)
        panel = panel or [result.name for result in failed]
        found = self._try(ranked, panel, reach)
        together: tuple[Edit, ...] = ()
        if in_pairs and not found.edits and found.complete:
            together = self._two(live, also_passing, panel, reach.beside_another)
        return msgspec.structs.replace(
            found,
            together=together,
            functions=self.targets.functions,
            departing=departing,
            only_failing=_in_functions_of(self.trees, live - also_passing, also_passing),
        )

    def _quick(self, source: Source, checks: Sequence[str]) -> tuple[TrialSession, Graded]:
        """Grade a file in the shared process, up to its first failure."""
        session = TrialSession(self.judge, self.exercise, source, self.worker)
        return session, self.judge.run(session, RunOptions(frozenset(checks), "a failure"))

    def _printed(self, source: Source, checks: Sequence[str]) -> str:
        session, graded = self._quick(source, checks)
        return session.workers.printed if graded.results else ""

    def _lines(self, checks: Sequence[str]) -> Lines:
        """Return the lines that these checks run; none if that cannot be told."""
        if not checks:
            return NO_LINES
        return lines_run(self._printed(with_line_marks(self.source, self.trees), checks))

    def _departing(self, panel: Sequence[str]) -> tuple[Lines, Lines]:
        """Return the line of the first value that no right answer has, and the lines without."""
        if not panel:
            return NO_LINES, NO_LINES

        def printed(source: Source) -> str:
            return self._printed(source, panel)

        key = self.exercise.name, *panel
        known = _KNOWN.setdefault(self.judge, {})
        if key not in known:
            most = SLOW_ANSWERS if self.worker.slow else ANSWERS
            known[key] = values_of_right_answers(
                self.right_answers, self.exercise.name, printed, most
            )
        if not len(known[key]):
            return NO_LINES, NO_LINES
        values = values_in(printed(with_value_marks(self.source, self.trees, all_parts=False)))
        return first_departure(values, known[key])

    def _raised(self, failed: Sequence[CheckResult]) -> Lines:
        labels = {unit.label: number for number, unit in enumerate(self.source.units)}
        places = (result.place for result in failed)
        return frozenset(
            (labels[place.file], place.line)
            for place in places
            if place is not None and place.file in labels
        )

    def _reach(self) -> Reach:
        """Return how far to go, after what the failed checks have asked for."""
        if self.worker.slow:
            return SLOW
        if also_warm(self.exercise.needs, self.source.mentions):
            return HEAVY
        return TORCH if self.exercise.needs == "torch" else USUAL

    def _try(self, ranked: list[Edit], panel: Sequence[str], reach: Reach) -> Found:
        """Try the edits until enough is known; a count ends it, so that it always ends alike."""
        good: list[Edit] = []
        one_kind, last, tried = True, reach.in_all, 0
        waiting = ranked[: reach.in_all]
        while waiting and tried < last and len(good) < 2:
            edit = waiting.pop(0)
            if self._timed_out >= TIMED_OUT and good:
                break  # what is known is true; edits that never end are alike each time
            if self._takes_too_long:
                return Found(tuple(good), self.trees, one_kind, complete=False)
            tried += 1
            within = next((other for other in good if _is_within(other, edit)), None)
            if within is not None and (within.kind == edit.kind or not one_kind):
                continue
            edited = _edited(self.source, self.trees, edit)
            if edited is None:
                continue
            fitness = self._fitness(edited, panel)
            self._firsts.append((fitness, -tried, edit))
            if not fitness.all_passed:
                continue
            if within is not None:
                one_kind = False  # which says less, so it need not be certain
            elif self._is_right(edited):
                good.append(edit)
                last = min(last, tried + reach.after_first)
                waiting = in_order(waiting, Suspects(), BY_TURNS)  # others may do as well
        return Found(tuple(good), self.trees, one_kind)

    def _two(
        self, live: Lines, also_passing: Lines, panel: Sequence[str], most: int
    ) -> tuple[Edit, ...]:
        """Try two edits at once: each of the first ones that got furthest, with another."""
        before = self._fitness(self.source, panel)
        furthest = sorted((first for first in self._firsts if first[0] > before), reverse=True)
        firsts: dict[tuple[int, tuple[int, ...]], Edit] = {}
        for _, _, edit in furthest:
            if len(firsts) < FIRSTS:
                firsts.setdefault((edit.unit, edit.lines), edit)
        for first in firsts.values():
            edited = _edited(self.source, self.trees, first)
            if edited is None:
                continue
            others = Lines(live - {(first.unit, line) for line in first.lines})
            for second, both in self._second(edited, others, also_passing, most):
                if self._takes_too_long:
                    return ()
                if self._fitness(both, panel).all_passed and self._is_right(both):
                    return first, second
        return ()

    def _second(
        self, edited: Source, lines: Lines, also_passing: Lines, most: int
    ) -> Iterator[tuple[Edit, Source]]:
        """Yield the edits of these lines to try in an edited file, and the files they make."""
        trees = read_trees(edited.units)
        candidates = edits(trees, lines, self.templates) if lines else []
        for edit in in_order(candidates, Suspects(also_passing))[:most]:
            both = _edited(edited, trees, edit)
            if both is not None:
                yield edit, both

    @property
    def _takes_too_long(self) -> bool:
        return self._timed_out >= TIMED_OUT or self._spent > TOTAL_SECONDS

    def _fitness(self, edited: Source, panel: Sequence[str]) -> Fitness:
        """Return how far the checks that failed get, in the shared process."""
        session, graded = self._quick(edited, panel)
        self._spent += session.workers.budget.spent
        self._timed_out += any(result.outcome == "timed out" for result in graded.results)
        return fitness_of(graded.results)

    def _is_right(self, edited: Source) -> bool:
        """Return whether all checks that should pass do so, in processes of the file's own.

        They have to with the course's inputs, and with those of other seeds.
        """
        only = self.targets.checks or None
        self.worker.close()
        for seed in range(self.judge.seed, self.judge.seed + 1 + OTHER_SEEDS):
            graded = self.judge.run(edited, RunOptions(only, "a failure", seed))
            if not all(map(passes, graded.results)):
                return False
        for name in self.targets.not_run:  # each alone: which functions it asks for is not known
            graded = self.judge.run(edited, RunOptions(frozenset({name}), "a failure"))
            if not all(map(self.targets.are_met_by, graded.results)):
                return False
        return True


def _edited(source: Source, trees: Sequence[Tree | None], edit: Edit) -> Source | None:
    """Return a source with the edit; None if that is no Python."""
    tree = trees[edit.unit]
    assert tree is not None
    text = tree.applied(edit.spans)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    units = list(source.units)
    units[edit.unit] = Unit(units[edit.unit].label, text)
    return msgspec.structs.replace(source, units=tuple(units))


def _in_functions_of(trees: Sequence[Tree | None], lines: Lines, others: Lines) -> Lines:
    """Return those lines whose function has some of the others too: beside these they tell."""
    owners: list[dict[int, Function | None]] = [
        {} if tree is None else {node.lineno: tree.owner[node] for node in tree.statements}
        for tree in trees
    ]
    functions = {(unit, owners[unit].get(line)) for unit, line in others}
    return Lines(
        (unit, line) for unit, line in lines if (unit, owners[unit].get(line)) in functions
    )


def _is_within(edit: Edit, other: Edit) -> bool:
    """Return whether another edit changes all lines that an edit does."""
    return edit.unit == other.unit and set(edit.lines) <= set(other.lines)
