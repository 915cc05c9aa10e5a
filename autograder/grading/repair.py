"""Verified repair: a small edit of a student's code that makes every check pass.

An edit is a repair only if the edited file passes all checks with several sets of inputs. The
report names only the line of a repair.
"""

import ast
import contextlib
import functools
import itertools
import math
import time
import warnings
from collections.abc import Callable, Sequence
from weakref import WeakKeyDictionary

import msgspec

from autograder.checks.check_result import CheckResult
from autograder.course.course_file import Exercise, HintPolicy
from autograder.course.own_modules import importable
from autograder.diagnosis.repair.edits import (
    BY_TURNS,
    NO_LINES,
    Edit,
    Suspects,
    edits,
    in_order,
    templates,
)
from autograder.diagnosis.repair.sentences import Found, describe_repair
from autograder.diagnosis.repair.targets import (
    Fitness,
    Targets,
    find_targets,
    fitness_of,
    passes,
    targets_by_function,
)
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
    without_loops,
)
from autograder.diagnosis.repair.tree import Function, Tree, read_trees
from autograder.grading.judge import Judge, RunOptions
from autograder.grading.scoring import Graded
from autograder.report.model import Repair
from autograder.report.redaction import hides_repair
from autograder.sandbox.child import Child, ChildKind, Children, InternalError, Place
from autograder.sandbox.process import WorkerProcess
from autograder.sandbox.session import CourseFunction, WorkerSession
from autograder.sandbox.spawn import slow_modules
from autograder.sandbox.workers import Workers
from autograder.submission.source import Source
from autograder.worker.codec import Figure
from autograder.worker.messages import Reply, Request, Unit

OTHER_SEEDS = 2
TIMED_OUT = 3  # the search ends after this many edits that ran out of time
# Limits of all searches in a file: the number of calls, which is the same on every machine, and the
# number of calls for a proof.
CALLS, A_PROOF = 3000, 10
CALLS_HEAVY, A_HEAVY_PROOF = 800, 80  # for torch or figures
# Limit on the CPU seconds of all searches, without successful proofs and right answers. Only a
# hostile file reaches this limit. For other files, the limit on calls ends the search.
TOTAL_SECONDS = 60.0
SINGLE, BESIDE_ANOTHER, AFTER_FIRST, OF_ANSWERS = 0.6, 0.1, 0.15, 0.1  # shares of the limits
ANSWERS, MOST_ANSWERS = 2, 8  # numbers of right answers with which values are compared
FIRSTS = 4  # edits that are tried together with a second edit
CALL_SECONDS = 2.0  # seconds of processor time for one call in a trial
FILES = 40  # one process loads at most this many files
MAX_PRINTED = 256 * 1024  # the most characters that a trial may print
A_PROCESS, A_FIGURE = 3, 20  # a new process and a figure count as this many calls


def is_worth_looking(
    exercise: Exercise, source: Source, results: Sequence[CheckResult], policy: HintPolicy
) -> bool:
    """Return True if a search for a repair may help: a check failed without a named mistake."""
    outcomes = {result.outcome for result in results}
    if policy == "exam" or exercise.questions or not exercise.repair or "failed" not in outcomes:
        return False
    if not outcomes <= {"passed", "failed", "not run", "graded when handed in"}:
        return False  # each trial might also crash or time out
    if any(result.kind == "not loaded" for result in results):
        return False
    return bool(find_targets(source, results).failed)


def repair_for_student(
    judge: Judge,
    graded: Graded,
    notice: contextlib.AbstractContextManager[object],
    seconds: float = math.inf,
) -> Repair | None:
    """Search for a repair, for at most `seconds` and `TOTAL_SECONDS`, if students may see one."""
    exercise, policy = graded.exercise, judge.course.content.hints
    hidden = judge.course.hidden_checks(exercise.name)
    if graded.error is not None or hides_repair(graded.report, policy, hidden):
        return None
    if not is_worth_looking(exercise, graded.session.source, graded.results, policy):
        return None
    with notice:
        return look_for_repair(judge, graded, seconds)


def look_for_repair(judge: Judge, graded: Graded, seconds: float = math.inf) -> Repair | None:
    """Search for a verified repair. If none is found, return None."""
    source, results = graded.session.source, graded.results
    try:
        targets = find_targets(source, results)
        by_function = targets_by_function(source, results, targets)
        # the course's packages can be imported in all trials
        with importable(judge.course), contextlib.closing(SharedWorker(judge.children)) as worker:
            search = _Search(judge, graded, worker, seconds)
            found = [search.run(targets, 0.5 if by_function else 1.0, in_pairs=not by_function)]
            if by_function and not found[0].edits:
                share = 0.5 / len(by_function)
                found = [search.run(targets, share, in_pairs=True) for targets in by_function]
    except (InternalError, RecursionError, MemoryError):  # then the report has no repair
        return None
    return describe_repair(found, shown_only=judge.course.content.released is not None)


# The processes that run edited files. One process loads many files.


class SharedWorker:
    """Process that loads one edited file after another.

    During a search, a judge uses this object instead of its `Children`. An earlier file may affect
    a trial, so a file that passes is graded again in new processes. `calls` counts the calls for
    all files. `seconds` is the time of all shared processes.
    """

    def __init__(self, children: Children) -> None:
        self.children = children
        self.worker: WorkerProcess | None = None
        self.calls = 0
        self.seconds = 0.0
        self._files = 0

    def take(self, kind: ChildKind) -> Child:
        """Return a new child. If it replaces a shared process, end that process first."""
        if kind.place == "first":
            self.close()
        return self.children.take(kind)

    def process(self, start: Callable[[], WorkerProcess]) -> WorkerProcess:
        """Return the process for the next file: the current one, or a new one."""
        if self._files >= FILES or (self.worker is not None and self.worker.has_ended):
            self.close()
        if self.worker is None:
            self.worker = start()
            self._files = 0
        self._files += 1
        self.calls += 1
        return self.worker

    def close(self) -> None:
        if self.worker is not None:
            self.worker.end()
            self.worker = None


class TrialSession(WorkerSession):
    """Session for an edited file in the shared process."""

    def __init__(self, judge: Judge, exercise: Exercise, source: Source, shared: SharedWorker):
        super().__init__(_TrialWorkers(judge, exercise, source, shared))
        self.shared_worker = shared

    def ask(self, request: Request, functions: Sequence[CourseFunction] = ()) -> Reply:
        self.shared_worker.calls += 1
        reply = super().ask(request, functions)
        if isinstance(reply.value, Figure):
            self.shared_worker.calls += A_FIGURE
        return reply

    def note_printed(self, reply: Reply) -> None:
        """Record all printed text, even from the course's code."""
        self.workers.note_printed(reply.printed)


class _TrialWorkers(Workers):
    """Processes of a trial: the shared process, and a new process for each fresh session."""

    def __init__(self, judge: Judge, exercise: Exercise, source: Source, shared: SharedWorker):
        limits = judge.course.limits(exercise)
        seconds = min(limits.call_seconds, CALL_SECONDS)
        limits = msgspec.structs.replace(limits, call_seconds=seconds)
        super().__init__(source, exercise.needs, limits, shared)
        self.shared = shared
        self.max_printed = MAX_PRINTED

    def start(self, session: object, place: Place) -> WorkerProcess:
        start = functools.partial(super().start, session, place)
        if isinstance(session, TrialSession):
            return self.shared.process(start)
        self.shared.calls += A_PROCESS
        return start()

    def let_go(self, worker: WorkerProcess) -> None:
        if worker is not self.shared.worker:
            worker.end()


# The search.

# Values that right answers compute. The key is an exercise and some checks. They are kept for later
# searches, so the values must not depend on the first submission.
_KNOWN: WeakKeyDictionary[Judge, dict[tuple[str, ...], Known]] = WeakKeyDictionary()


class _Search:
    """Search for repairs of one submission. All trials share a process and a limit on calls."""

    def __init__(self, judge: Judge, graded: Graded, worker: SharedWorker, seconds: float) -> None:
        self.judge = judge
        self.most_seconds = seconds
        self.exercise = graded.exercise
        self.source = graded.session.source
        self.results = graded.results
        self.worker = worker
        self.right_answers = judge.course.right_answers(self.exercise.name)
        self.trees = read_trees(self.source.units)
        self.templates = templates(self.right_answers)
        is_heavy = self.exercise.needs == "torch" or slow_modules(self.source.mentions)
        self.calls, self.proof = (CALLS_HEAVY, A_HEAVY_PROOF) if is_heavy else (CALLS, A_PROOF)
        self._start = time.process_time()

    def run(self, targets: Targets, share: float, in_pairs: bool) -> Found:
        """Try the edits, the most promising first."""
        self.targets = targets
        self._timed_out = 0
        self._firsts: list[tuple[Fitness, int, Edit]] = []
        failed = [result for result in self.results if result.name in targets.failed]
        panel = [result.name for result in failed if not result.hidden]
        live = self._lines(panel)
        also_passing = self._passing_lines(live)
        labels = {unit.label: number for number, unit in enumerate(self.source.units)}
        places = [result.place for result in failed if result.place is not None]
        raised = Lines((labels[place.file], place.line) for place in places if place.file in labels)
        alone = NO_LINES if raised - (live - also_passing) else live - also_passing
        departing, fine = self._departing(panel)
        suspects = Suspects(
            also_passing,
            raised,
            Lines(feeding_lines(self.trees, raised | departing)),
            departing,
            NO_LINES if raised else fine,  # values may be right even if axes are wrong
        )
        ranked = in_order(edits(self.trees, live, self.templates), suspects)
        panel = panel or [result.name for result in failed]
        found = self._try(ranked, panel, self.worker.calls + round(share * SINGLE * self.calls))
        together: tuple[Edit, ...] = ()
        if in_pairs and not found.edits and not self._takes_too_long:
            together = self._two(live, also_passing, panel, round(share * self.calls))
        return msgspec.structs.replace(
            found,
            together=together,
            functions=targets.functions,
            departing=NO_LINES if self._names_a_line else without_loops(self.trees, departing),
            only_failing=_in_functions_of(self.trees, alone, also_passing),
        )

    def _quick(self, source: Source, checks: Sequence[str]) -> Graded:
        session = TrialSession(self.judge, self.exercise, source, self.worker)
        graded = self.judge.run(session, RunOptions(frozenset(checks), "a failure"))
        self.worker.seconds += session.workers.budget.spent
        return graded

    def _printed(self, source: Source, checks: Sequence[str]) -> str:
        graded = self._quick(source, checks)
        return graded.session.workers.printed if graded.results else ""

    def _lines(self, checks: Sequence[str]) -> Lines:
        if not checks:
            return NO_LINES
        return lines_run(self._printed(with_line_marks(self.source, self.trees), checks))

    def _passing_lines(self, live: Lines) -> Lines:
        lines = NO_LINES
        for result in self.results:
            if result.outcome == "passed" and not result.hidden and not live <= lines:
                lines |= self._lines([result.name])
        return lines

    def _departing(self, panel: Sequence[str]) -> tuple[Lines, Lines]:
        """Return the line with the first unknown value, and lines without unknown values."""
        if not panel:
            return NO_LINES, NO_LINES

        def printed(source: Source) -> str:
            return self._printed(source, panel)

        key = self.exercise.name, *panel
        known = _KNOWN.setdefault(self.judge, {})
        if key not in known:
            calls = CALLS_HEAVY if self.exercise.needs == "torch" else CALLS
            enough = self.worker.calls + OF_ANSWERS * calls
            first, others = self.right_answers[:ANSWERS], self.right_answers[ANSWERS:MOST_ANSWERS]
            more = itertools.takewhile(lambda _: self.worker.calls < enough, others)
            paths = itertools.chain(first, more)
            seconds = self._seconds
            self.worker.close()  # right answers run in a new process, without an earlier submission
            known[key] = values_of_right_answers(paths, self.exercise.name, printed)
            self._start += self._seconds - seconds
        self.worker.close()  # the next file gets a new process in both cases
        if not len(known[key]):
            return NO_LINES, NO_LINES
        values = values_in(printed(with_value_marks(self.source, self.trees, all_parts=False)))
        return first_departure(values, known[key])

    def _try(self, ranked: list[Edit], panel: Sequence[str], last: int) -> Found:
        """Try the edits until two of them are repairs, or the number of calls reaches `last`."""
        good: list[Edit] = []
        one_kind, tried = True, 0
        while ranked and self.worker.calls < last and len(good) < 2 and not self._takes_too_long:
            edit = ranked.pop(0)
            tried += 1
            within = next(
                (o for o in good if o.unit == edit.unit and {*o.lines} <= {*edit.lines}), None
            )
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
                one_kind = False  # the weaker claim needs no further proof
            elif self._is_right(edited):
                good.append(edit)
                last = min(last, self.worker.calls + round(AFTER_FIRST * self.calls))
                ranked = in_order(ranked, Suspects(), BY_TURNS)  # try other kinds of edits too
        # After a time-out, edits of other kinds may be missing, so the kind is not certain.
        return Found(tuple(good), self.trees, one_kind and not self._takes_too_long)

    def _two(
        self, live: Lines, also_passing: Lines, panel: Sequence[str], calls: int
    ) -> tuple[Edit, ...]:
        """Return two edits that together are a repair. One is among the best single edits."""
        before = self._fitness(self.source, panel)
        firsts: dict[tuple[int, tuple[int, ...]], Edit] = {}
        for fitness, _, edit in sorted(self._firsts, reverse=True):
            if fitness > before and len(firsts) < FIRSTS:
                firsts.setdefault((edit.unit, edit.lines), edit)
        for first in firsts.values():
            edited = _edited(self.source, self.trees, first)
            assert edited is not None
            trees = read_trees(edited.units)
            others = Lines(live - {(first.unit, line) for line in first.lines})
            seconds = edits(trees, others, self.templates) if others else []
            last = self.worker.calls + round(BESIDE_ANOTHER * calls)
            for second in in_order(seconds, Suspects(also_passing)):
                both = _edited(edited, trees, second)
                if both is None:
                    continue
                if self._takes_too_long:
                    return ()
                if self.worker.calls >= last:
                    break
                if self._fitness(both, panel).all_passed and self._is_right(both):
                    return first, second
        return ()

    @property
    def _names_a_line(self) -> bool:
        return any(
            result.place is not None or (result.diagnosis is not None and result.diagnosis.places)
            for result in self.results
        )

    @property
    def _seconds(self) -> float:
        return time.process_time() - self._start + self.worker.seconds

    @property
    def _takes_too_long(self) -> bool:
        return self._timed_out >= TIMED_OUT or self._seconds > min(self.most_seconds, TOTAL_SECONDS)

    def _fitness(self, edited: Source, panel: Sequence[str]) -> Fitness:
        results = self._quick(edited, panel).results
        self._timed_out += any(result.outcome == "timed out" for result in results)
        return fitness_of(results)

    def _is_right(self, edited: Source) -> bool:
        """Return True if all checks that must pass do so in new processes, with several seeds."""
        wanted, start = self.targets.checks, time.process_time()
        only = wanted | {each.name for each in self.results if passes(each)} if wanted else None
        self.worker.calls += self.proof
        self.worker.close()
        for seed in range(self.judge.seed, self.judge.seed + 1 + OTHER_SEEDS):
            graded = self.judge.run(edited, RunOptions(only, "a failure", seed))
            if not all(map(passes, graded.results)):
                return False
        for name in self.targets.not_run:  # one by one: they may test other functions
            graded = self.judge.run(edited, RunOptions(frozenset({name}), "a failure"))
            if not all(map(self.targets.are_met_by, graded.results)):
                return False
        self._start += time.process_time() - start
        return True


def _edited(source: Source, trees: Sequence[Tree | None], edit: Edit) -> Source | None:
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
    owners: list[dict[int, Function | None]] = [
        {} if tree is None else {node.lineno: tree.owner[node] for node in tree.statements}
        for tree in trees
    ]
    functions = {(unit, owners[unit].get(line)) for unit, line in others}
    return Lines(
        (unit, line) for unit, line in lines if (unit, owners[unit].get(line)) in functions
    )
