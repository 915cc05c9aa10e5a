"""The search: which edits of a submission pass every check, hidden ones and other inputs too."""

import ast
import contextlib
import warnings
from collections.abc import Iterator, Sequence

import msgspec

from autograder.course import Exercise, Limits
from autograder.grading.plugin import CheckResult
from autograder.grading.session import Judge
from autograder.repair.edits import Edit, edits
from autograder.repair.lines import Lines, lines_in, marked
from autograder.repair.order import in_order
from autograder.repair.tree import Tree
from autograder.repair.trial import SharedLine, TrialClient
from autograder.submission.source import Source
from autograder.worker.messages import Unit

OTHER_SEEDS = 2
AFTER_FIRST = 80  # what else would pass, as far as that is looked for
CONFIRMED = 5
TIMED_OUT = 3  # so many edits may run out of time
CALL_SECONDS = 0.5  # of the processor, in a trial
TOTAL_SECONDS = 10.0  # of the processor, for all trials: a guard, and not what ends a search


class Found(msgspec.Struct, frozen=True):
    """The edits that pass everything, and how many were tried. `complete` if nothing cut it short.

    `trees` are the units that the edits speak of.
    """

    edits: tuple[Edit, ...]
    trees: tuple[Tree | None, ...]
    tried: int
    complete: bool = True


class Search:
    """A search for one submission, with the judge that has graded it."""

    def __init__(
        self, judge: Judge, exercise: Exercise, source: Source, results: Sequence[CheckResult]
    ) -> None:
        self.judge = judge
        self.exercise = exercise
        self.source = source
        self.results = results
        self.trees = tuple(_tree(unit) for unit in source.units)
        limits = judge.course.limits(exercise)
        self.limits: Limits = msgspec.structs.replace(
            limits, call_seconds=min(limits.call_seconds, CALL_SECONDS)
        )
        self._spent = 0.0
        self._timed_out = 0

    def run(self) -> Found:
        """Try the edits in order.

        Raises:
            GraderTrouble: the grader's own machinery failed.
        """
        failed = [result for result in self.results if result.outcome == "failed"]
        panel = [result.name for result in failed if not result.hidden]
        with self._searching() as line:
            passing = [r.name for r in self.results if r.outcome == "passed" and not r.hidden]
            live = self._lines(panel, line)
            also_passing = self._lines(passing, line) if live else frozenset()
            wanted = in_order(edits(self.trees, live), also_passing, self._raised(failed))
            return self._try(wanted, panel or [result.name for result in failed], line)

    @contextlib.contextmanager
    def _searching(self) -> Iterator[SharedLine]:
        """The judge, with the shared process in place of its own; afterwards as it was."""
        judge = self.judge
        before = judge.children, judge.only, judge.until_first_failure, judge.seed
        line = SharedLine(judge.children)
        judge.children, judge.until_first_failure = line, True
        try:
            yield line
        finally:
            line.close()
            judge.children, judge.only, judge.until_first_failure, seed = before
            judge.reseed(seed)

    def _lines(self, names: Sequence[str], line: SharedLine) -> Lines:
        """The lines that these checks run; none if that cannot be told."""
        if not names:
            return frozenset()
        self.judge.only = frozenset(names)
        client = self._client(marked(self.source, self.trees), line)
        self.judge.grade(client)
        return lines_in(client.printed)

    def _raised(self, failed: Sequence[CheckResult]) -> Lines:
        labels = {unit.label: number for number, unit in enumerate(self.source.units)}
        places = (result.place for result in failed)
        return frozenset(
            (labels[place.file], place.line)
            for place in places
            if place is not None and place.file in labels
        )

    def _try(self, wanted: Sequence[Edit], panel: Sequence[str], line: SharedLine) -> Found:
        good: list[Edit] = []
        first: int | None = None
        for tried, edit in enumerate(wanted, 1):
            is_cut = self._timed_out >= TIMED_OUT or self._spent > TOTAL_SECONDS
            if is_cut or len(good) >= CONFIRMED:
                return Found(tuple(good), self.trees, tried - 1, complete=not is_cut)
            if first is not None and tried > first + AFTER_FIRST:
                return Found(tuple(good), self.trees, tried - 1)
            known = any(edit.kind == each.kind and edit.lines == each.lines for each in good)
            if known or not self._passes(edit, panel, line):
                continue
            if self._is_right(edit):
                good.append(edit)
                first = first or tried
        return Found(tuple(good), self.trees, len(wanted))

    def _passes(self, edit: Edit, panel: Sequence[str], line: SharedLine) -> bool:
        """Whether the checks that failed pass, in the shared process."""
        edited = self._edited(edit)
        if edited is None:
            return False
        self.judge.only = frozenset(panel)
        client = self._client(edited, line)
        results = self.judge.grade(client).results
        self._spent += client.ledger.spent
        self._timed_out += any(result.outcome == "timed out" for result in results)
        return all(result.outcome == "passed" for result in results)

    def _is_right(self, edit: Edit) -> bool:
        """Whether all checks pass, alone, with the course's inputs and with others."""
        edited = self._edited(edit)
        assert edited is not None
        self.judge.only = None
        seed = self.judge.seed
        try:
            for more in range(1 + OTHER_SEEDS):
                self.judge.reseed(seed + more)
                graded = self.judge.grade(edited)
                self._spent += graded.client.ledger.spent
                if any(result.outcome != "passed" for result in graded.results):
                    return False
        finally:
            self.judge.reseed(seed)
        return True

    def _edited(self, edit: Edit) -> Source | None:
        """The source with the edit; None if that is no Python."""
        tree = self.trees[edit.unit]
        assert tree is not None
        text = tree.applied(edit.spans)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None
        units = list(self.source.units)
        units[edit.unit] = Unit(units[edit.unit].label, text)
        return msgspec.structs.replace(self.source, units=tuple(units))

    def _client(self, source: Source, line: SharedLine) -> TrialClient:
        return TrialClient(source, self.exercise.needs, self.limits, line)


def _tree(unit: Unit) -> Tree | None:
    try:
        return Tree(unit)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
