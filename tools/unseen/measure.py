"""Measurement of reports on an exercise's mutants."""

import tempfile
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import msgspec

from autograder.course.course_file import FILE_NAME, Course, Exercise, load_course
from autograder.diagnosis.repair.sentences import DEPARTS, EITHER, RUNS
from autograder.grading.judge import Judge
from autograder.grading.repair import is_worth_looking, look_for_repair
from autograder.grading.scoring import Graded
from autograder.report.model import Diagnosis, Repair
from autograder.sandbox.levels import children_on, choose
from autograder.sandbox.session import WorkerSession
from autograder.sandbox.workers import Workers
from autograder.submission.source import Siblings, Source, from_text
from tools.unseen.mutated import Mutated, pairs, singles
from tools.unseen.oracle import Oracle

PAIRS = 5  # number of single mutants per pair
STOPS = {"error", "some_stop"}  # statements about calls that raise, with the line
VERDICTS = ("named", "right line", "other line", "in words", "differs", "false")


class Said(msgspec.Struct, frozen=True):
    """Report on one mutant, with its verdict, one of `VERDICTS`.

    The verdict is "other line" only if a change in this line makes every check pass.
    """

    verdict: str
    origin: str
    lines: tuple[int, ...]
    code: tuple[str, ...]
    words: tuple[str, ...]
    searched: bool = False


class Unseen(msgspec.Struct):
    """Counts of one exercise's mutants, with one change (`single`) and with two (`pair`)."""

    name: str
    mutants: int = 0
    pairs: int = 0
    single: Counter[str] = msgspec.field(default_factory=Counter)
    pair: Counter[str] = msgspec.field(default_factory=Counter)
    said: list[Said] = []


def measure(course: Course, exercise: Exercise, sample: int = 0) -> Unseen:
    """Grade `sample` mutants of an exercise's correct solutions. 0 means all mutants."""
    seed = course.content.seed
    found = Unseen(exercise.name)
    with tempfile.TemporaryDirectory(prefix="autograder-") as folder:
        children = children_on(choose(None, own_code=True), course, [], Path(folder))
        with Judge(course, [exercise], children) as judge:
            one = _Measured(course, exercise, judge, Path(folder))
            alone = list(singles(course, exercise.name, sample, seed))
            found.mutants = len(alone)
            one.count(alone, found.single, found.said)
            both = list(pairs(course, exercise.name, len(alone) // PAIRS, seed))
            found.pairs = len(both)
            one.count(both, found.pair, found.said)
    return found


class _Measured:
    def __init__(self, course: Course, exercise: Exercise, judge: Judge, folder: Path) -> None:
        self.course = course
        self.exercise = exercise
        self.judge = judge
        self.folder = folder
        self.oracle = Oracle(judge.catalogue, exercise.name)

    def count(self, mutants: Iterable[Mutated], counts: Counter[str], said: list[Said]) -> None:
        for mutant in mutants:
            what = self.said_of(mutant)
            if what is not None:
                counts["rejected"] += 1
                counts[what.verdict] += 1
                said.append(what)

    def said_of(self, mutant: Mutated) -> Said | None:
        """Return the verdict on a mutant, or None if it gets full points."""
        name = self.exercise.name
        source = from_text(mutant.text, name, f"{name}.py", Siblings(self.folder))
        graded = self.judge.run(source)
        if all(result.outcome == "passed" for result in graded.results):
            return None
        looked = is_worth_looking(self.exercise, source, graded.results, "practice")
        repair = look_for_repair(self.judge, graded) if looked else None
        diagnoses: list[Diagnosis] = []
        for result in graded.results:
            if result.diagnosis is not None and result.diagnosis not in diagnoses:
                diagnoses.append(result.diagnosis)
        code = mutant.text.splitlines()
        return Said(
            self._verdict(mutant, source, graded, diagnoses, repair),
            mutant.origin,
            mutant.lines,
            tuple(code[line - 1].strip() for line in mutant.lines),
            (*(each.finding for each in diagnoses), *([repair.said] if repair else [])),
            looked,
        )

    def _verdict(
        self,
        mutant: Mutated,
        source: Source,
        graded: Graded,
        diagnoses: list[Diagnosis],
        repair: Repair | None,
    ) -> str:
        client = self._client(source)
        try:
            if any(self.oracle.is_false(diagnosis, client) for diagnosis in diagnoses):
                return "false"
        finally:
            client.close()
        said = {place.line for diagnosis in diagnoses for place in diagnosis.places}
        mended = {place.line for place in repair.places} if repair is not None else set()
        raised = {result.place.line for result in graded.results if result.place is not None}
        stated = [each for diagnosis in diagnoses for each in diagnosis.statements]
        raised |= {
            int(each.values["line"])
            for each in stated
            if each.code in STOPS and "line" in each.values
        }
        right = set(mutant.lines)
        if said - right:
            return "false"
        if any(diagnosis.kind == "named" for diagnosis in diagnoses):
            return "named"
        either = repair is not None and repair.kind == EITHER
        if (said | raised) & right or (mended and mended <= right) or (either and mended & right):
            return "right line"
        if mended and repair is not None and repair.kind not in {RUNS, DEPARTS}:
            return "other line"
        return "in words" if diagnoses or repair is not None or raised else "differs"

    def _client(self, source: Source) -> WorkerSession:
        limits = self.course.limits(self.exercise)
        return WorkerSession(Workers(source, self.exercise.needs, limits, self.judge.children))


def measure_exercise(root: Path, name: str, sample: int) -> Unseen:
    """Measure one exercise in a separate process."""
    course = load_course(root / FILE_NAME)
    return measure(course, course.exercise(name), sample)
