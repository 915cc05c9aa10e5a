"""The search: which edits of a submission pass every check, hidden ones and other inputs too."""

import ast
import contextlib
import warnings
from collections.abc import Iterator, Sequence

import msgspec

from autograder.course.course_file import Exercise, Limits
from autograder.diagnosis.repair.edits import AT_MOST, NO_LINES, Edit, Suspects, edits, in_order
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
    Lines,
    feeding_lines,
    first_departure,
    lines_run,
    values_in,
    values_of_right_answers,
    with_line_marks,
    with_value_marks,
)
from autograder.diagnosis.repair.tree import Function, Tree
from autograder.grading.check_plugin import CheckResult
from autograder.grading.graded import Graded, RunOptions
from autograder.grading.judge import Judge
from autograder.grading.repair import SharedWorker, TrialClient
from autograder.sandbox.spawn import also_warm
from autograder.submission.source import Source
from autograder.worker.messages import Unit

OTHER_SEEDS = 2
TIMED_OUT = 3  # so many edits may run out of time
CALL_SECONDS = 0.5  # of the processor, in a trial
TOTAL_SECONDS = 20.0  # of the processor, for all trials: a guard that only what hangs comes near


class Reach(msgspec.Struct, frozen=True):
    """How many edits are tried, and how many more once one has passed: other places may do too."""

    in_all: int
    after_first: int
    seconds: int  # for each of the best first edits


USUAL = Reach(AT_MOST, 60, 60)
TORCH = Reach(300, 30, 20)
HEAVY = Reach(170, 30, 20)  # with figures of which nothing was asked
SLOW = Reach(60, 15, 0)  # what draws, or runs beside code of the course's
STYLES, SLOW_STYLES = 5, 2  # right answers whose values are looked at, the solution first
FIRSTS = 4  # so many edits are tried together with another


class Found(msgspec.Struct, frozen=True):
    """The edits that pass everything, one for each set of lines, and how many were tried.

    `one_kind` is false if edits of other kinds seem to do in the same lines. `complete` if nothing
    cut the search short. `trees` are the units that the edits speak of. `together` are two edits
    that pass everything at once, where none does alone. `functions` are what the checks that pass
    are about, if they are not all. `departing` is the line of the first value that no right answer
    has, and `only_failing` are the lines that run in checks that fail and in none that passes.
    """

    edits: tuple[Edit, ...]
    trees: tuple[Tree | None, ...]
    tried: int
    one_kind: bool = True
    complete: bool = True
    together: tuple[Edit, ...] = ()
    functions: tuple[str, ...] = ()
    departing: Lines = NO_LINES
    only_failing: Lines = NO_LINES


class Search:
    """A search for one submission, with the judge that has graded it."""

    def __init__(
        self,
        judge: Judge,
        exercise: Exercise,
        source: Source,
        results: Sequence[CheckResult],
        wanted: Targets | None = None,
    ) -> None:
        self.judge = judge
        self.exercise = exercise
        self.source = source
        self.results = results
        self.wanted = wanted or find_targets(source, results)
        self.apart = targets_by_function(results, self.wanted)
        self.trees = tuple(_tree(unit) for unit in source.units)
        self.known = templates(judge.course, exercise.name)
        limits = judge.course.limits(exercise)
        self.limits: Limits = msgspec.structs.replace(
            limits, call_seconds=min(limits.call_seconds, CALL_SECONDS)
        )
        self._spent = 0.0
        self._timed_out = 0
        self._seconds = 0
        self._firsts: list[tuple[Fitness, int, Edit]] = []

    def run(self) -> list[Found]:
        """Try the edits in order, for all functions at once, and then for one at a time.

        Raises:
            GraderTrouble: the grader's own machinery failed.
        """
        found = self._of_all()
        if found.edits or found.together or not self.apart:
            return [found]
        given = self.judge, self.exercise, self.source, self.results
        return [Search(*given, wanted)._of_all() for wanted in self.apart]

    def _of_all(self) -> Found:
        failed = [result for result in self.results if result.name in self.wanted.failed]
        panel = [result.name for result in failed if not result.hidden]
        with self._shared() as line:
            passing = [r.name for r in self.results if r.outcome == "passed" and not r.hidden]
            live = self._lines(panel, line)
            reach = self._reach(line)
            also_passing = self._lines(passing, line) if live else frozenset()
            raised = self._raised(failed)
            departing, fine = self._departing(panel, line)
            feeding = Lines(feeding_lines(self.trees, raised | departing))
            fine = NO_LINES if raised else fine  # the values may be right and their axes not
            suspects = Suspects(also_passing, raised, feeding, departing, fine)
            wanted = in_order(edits(self.trees, live, self.known), suspects)
            panel = panel or [result.name for result in failed]
            found = self._try(wanted, panel, line, reach)
            if not found.edits and found.complete and not self.apart:
                together = self._two(live, suspects, panel, line)
                found = msgspec.structs.replace(found, together=together)
            return msgspec.structs.replace(
                found,
                functions=self.wanted.functions,
                departing=departing,
                only_failing=_in_functions_of(self.trees, live - also_passing, also_passing),
            )

    @contextlib.contextmanager
    def _shared(self) -> Iterator[SharedWorker]:
        """The shared process, which stands in for the judge's own for as long as this lasts."""
        line = SharedWorker(self.judge.children)
        try:
            yield line
        finally:
            line.close()

    def _graded(
        self,
        source: Source | TrialClient,
        line: SharedWorker,
        only: Sequence[str] | None = None,
        seed: int | None = None,
    ) -> Graded:
        """A submission up to its first failure, of the checks that are named or of all."""
        names = None if only is None else frozenset(only)
        return self.judge.run(source, RunOptions(names, "a failure", seed), line)

    def _lines(self, names: Sequence[str], line: SharedWorker) -> Lines:
        """The lines that these checks run; none if that cannot be told."""
        if not names:
            return frozenset()
        client = self._client(with_line_marks(self.source, self.trees), line)
        results = self._graded(client, line, names).results
        return lines_run(client.printed) if results else frozenset()

    def _departing(self, panel: Sequence[str], line: SharedWorker) -> tuple[Lines, Lines]:
        """The line of the first value that no right answer has, and the lines without such."""
        if not panel:
            return NO_LINES, NO_LINES

        def printed(source: Source) -> str:
            client = self._client(source, line)
            self._graded(client, line, panel)
            return client.printed

        most = SLOW_STYLES if line.slow else STYLES
        known = values_of_right_answers(self.judge, self.exercise.name, panel, printed, most)
        if not len(known):
            return NO_LINES, NO_LINES
        return first_departure(
            values_in(printed(with_value_marks(self.source, self.trees, False))), known
        )

    def _raised(self, failed: Sequence[CheckResult]) -> Lines:
        labels = {unit.label: number for number, unit in enumerate(self.source.units)}
        places = (result.place for result in failed)
        return frozenset(
            (labels[place.file], place.line)
            for place in places
            if place is not None and place.file in labels
        )

    def _reach(self, line: SharedWorker) -> Reach:
        """How far to go, after what the failed checks have asked for."""
        if line.slow:
            return SLOW
        if also_warm(self.exercise.needs, self.source.mentions):
            return HEAVY
        return TORCH if self.exercise.needs == "torch" else USUAL

    def _try(
        self, wanted: Sequence[Edit], panel: Sequence[str], line: SharedWorker, reach: Reach
    ) -> Found:
        """Try the edits until enough is known; a count ends it, so that it always ends alike."""
        self._seconds = reach.seconds
        good: list[Edit] = []
        one_kind, last, tried = True, reach.in_all, 0
        for edit in wanted[: reach.in_all]:
            if tried >= last or len(good) > 1:
                break
            if self._timed_out >= TIMED_OUT and good:
                break  # what is known is true; edits that never end are alike each time
            if self._timed_out >= TIMED_OUT or self._spent > TOTAL_SECONDS:
                return Found(tuple(good), self.trees, tried, one_kind, complete=False)
            tried += 1
            known = next((each for each in good if _is_within(each, edit)), None)
            if known is not None and (known.kind == edit.kind or not one_kind):
                continue
            edited = self._edited(edit)
            if edited is None:
                continue
            got = self._trial(edited, panel, line)
            self._firsts.append((got, -tried, edit))
            if not got.all_passed:
                continue
            if known is not None:
                one_kind = False  # which says less, so it need not be certain
            elif self._is_right(edited, line):
                good.append(edit)
                last = min(last, tried + reach.after_first)
        return Found(tuple(good), self.trees, tried, one_kind)

    def _two(
        self, live: Lines, suspects: Suspects, panel: Sequence[str], line: SharedWorker
    ) -> tuple[Edit, ...]:
        """Two edits at once: each of the first ones that got furthest, with another."""
        before = self._trial(self.source, panel, line)
        furthest = sorted((each for each in self._firsts if each[0] > before), reverse=True)
        places: set[tuple[int, tuple[int, ...]]] = set()
        for _, _, first in furthest:
            if (first.unit, first.lines) in places or len(places) >= FIRSTS:
                continue
            places.add((first.unit, first.lines))
            edited = self._edited(first)
            second = None if edited is None else self._second(first, edited, live, suspects)
            for edit, both in second or ():
                if self._timed_out >= TIMED_OUT or self._spent > TOTAL_SECONDS:
                    return ()
                if self._trial(both, panel, line).all_passed and self._is_right(both, line):
                    return first, edit
        return ()

    def _second(
        self, first: Edit, edited: Source, live: Lines, suspects: Suspects
    ) -> Iterator[tuple[Edit, Source]]:
        """The edits of other lines to try in an edited file, and the files that they make."""
        trees = tuple(_tree(unit) for unit in edited.units)
        others = Lines(each for each in live if each not in _places(first))
        left = Suspects(suspects.also_passing)
        wanted = in_order(edits(trees, others, self.known), left) if others else []
        for edit in wanted[: self._seconds]:
            both = self._edited(edit, edited, trees)
            if both is not None:
                yield edit, both

    def _trial(self, edited: Source, panel: Sequence[str], line: SharedWorker) -> Fitness:
        """How far the checks that failed get, in the shared process."""
        client = self._client(edited, line)
        results = self._graded(client, line, panel).results
        self._spent += client.spent
        self._timed_out += any(result.outcome == "timed out" for result in results)
        return fitness_of(results)

    def _is_right(self, edited: Source, line: SharedWorker) -> bool:
        """Whether all checks that should pass do so, with the course's inputs and with others."""
        checks = sorted(self.wanted.checks) or None
        for more in range(1 + OTHER_SEEDS):
            graded = self._graded(edited, line, checks, self.judge.seed + more)
            if not all(map(passes, graded.results)):
                return False
        return True

    def _edited(
        self, edit: Edit, source: Source | None = None, trees: Sequence[Tree | None] = ()
    ) -> Source | None:
        """A source with the edit, the student's if no other is given; None if that is no Python."""
        source = source or self.source
        tree = (trees or self.trees)[edit.unit]
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

    def _client(self, source: Source, line: SharedWorker) -> TrialClient:
        return TrialClient(source, self.exercise.needs, self.limits, line)


def _in_functions_of(trees: Sequence[Tree | None], lines: Lines, others: Lines) -> Lines:
    """Those lines whose function has some of the others too: beside these they say something."""
    owners = [_owners(tree) for tree in trees]
    known = {(unit, owners[unit].get(line)) for unit, line in others}
    return Lines((unit, line) for unit, line in lines if (unit, owners[unit].get(line)) in known)


def _owners(tree: Tree | None) -> dict[int, Function | None]:
    return {} if tree is None else {node.lineno: tree.owner[node] for node in tree.statements}


def _is_within(edit: Edit, other: Edit) -> bool:
    """Whether another edit changes all lines that an edit does."""
    return edit.unit == other.unit and set(edit.lines) <= set(other.lines)


def _places(edit: Edit) -> set[tuple[int, int]]:
    return {(edit.unit, line) for line in edit.lines}


def _tree(unit: Unit) -> Tree | None:
    try:
        return Tree(unit)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
