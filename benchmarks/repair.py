"""How far verified repair reaches: mutants of right answers, whose wrong line is known.

`python -m benchmarks.repair --sample 40` prints a table. A line that is not the mutated one counts
as false, also where a change there does make every check pass.
"""

import argparse
import random
import statistics
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from autograder.course import Course, Exercise, load_course
from autograder.grading.plugin import CheckResult
from autograder.grading.session import Judge
from autograder.repair.look import is_worth_looking, look_for_repair
from autograder.report.model import Repair
from autograder.sandbox.unconfined import children_for
from autograder.submission.markers import BEGIN, END
from autograder.submission.siblings import Siblings
from autograder.submission.source import Source, from_text
from autograder.verification.mutants import mutants

ROOT = Path(__file__).resolve().parent.parent
EXERCISES = ("softmax", "causal_mask", "multi_head_reshape", "scaled_dot_product_attention")
COLUMNS = ("rejected", "named", "not searched", "searched", "right line", "function", "nothing")


class Mutated:
    """A right answer with one thing changed, and the line of the change."""

    def __init__(self, origin: str, text: str, line: int) -> None:
        self.origin = origin
        self.text = text
        self.line = line


def mutated(course: Course, name: str) -> Iterator[Mutated]:
    """The mutants of the solution and of the right answers in other styles."""
    others = sorted((course.root / "examples" / "right" / name).glob("*.py"))
    for path in (course.solution_file(name), *others):
        text = path.read_text()
        if BEGIN not in text:
            text = f"{BEGIN}\n{text}\n{END}\n"
        before = text.splitlines()
        for mutant in mutants(text):
            pairs = zip(before, mutant.text.splitlines(), strict=False)
            line = next((n for n, (old, new) in enumerate(pairs, 1) if old != new), 0)
            yield Mutated(path.stem, mutant.text, line)


class Tally:
    """What became of the mutants of one exercise."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.seconds: list[float] = []
        self.notes: list[str] = []

    def count(self, results: Sequence[CheckResult], policy_lets: bool) -> bool:
        """Count what the checks say; whether a search is to follow."""
        if all(result.outcome == "passed" for result in results):
            return False
        self.counts["rejected"] += 1
        if any(r.diagnosis is not None and r.diagnosis.kind == "named" for r in results):
            self.counts["named"] += 1
            return False
        self.counts["searched" if policy_lets else "not searched"] += 1
        return policy_lets

    def found(self, mutant: Mutated, repair: Repair | None) -> None:
        if repair is None:
            which = "nothing"
        elif not repair.places:
            which = "function"
        elif mutant.line in {place.line for place in repair.places}:
            which = "right line"
        else:
            which = "FALSE"
        self.counts[which] += 1
        if which != "right line":
            line = mutant.text.splitlines()[mutant.line - 1].strip()
            said = repair.said if repair is not None else ""
            self.notes.append(f"{which}: {mutant.origin}:{mutant.line}: {line}  {said}")


def measure(course: Course, exercise: Exercise, sample: int) -> Tally:
    """Grade a sample of an exercise's mutants, and search where nothing has a name."""
    chosen = list(mutated(course, exercise.name))
    if sample and sample < len(chosen):
        chosen = random.Random(course.content.seed).sample(chosen, sample)
    tally = Tally()
    with TemporaryDirectory() as folder, Judge(course, [exercise], children_for(course)) as judge:
        for mutant in chosen:
            source = _source(exercise, mutant, Path(folder))
            graded = judge.run(source)
            worth = is_worth_looking(exercise, graded.results, "practice")
            if tally.count(graded.results, worth):
                start = time.perf_counter()
                tally.found(mutant, look_for_repair(judge, exercise, source, graded))
                tally.seconds.append(time.perf_counter() - start)
    return tally


def _source(exercise: Exercise, mutant: Mutated, folder: Path) -> Source:
    return from_text(mutant.text, exercise.name, f"{exercise.name}.py", Siblings(folder))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("exercises", nargs="*", default=EXERCISES)
    parser.add_argument("--sample", type=int, default=40, help="mutants of each; 0: all")
    parser.add_argument("--notes", action="store_true", help="list what was not found")
    asked = parser.parse_args()
    course = load_course(ROOT / "course.yml")
    columns = (*COLUMNS, "FALSE")
    print("| exercise |", " | ".join(columns), "| seconds, median and 90 % |")
    print("|---|" + "---|" * (len(columns) + 1))
    for name in asked.exercises:
        tally = measure(course, course.exercise(name), asked.sample)
        times = sorted(tally.seconds) or [0.0]
        took = f"{statistics.median(times):.1f}, {times[int(0.9 * (len(times) - 1))]:.1f}"
        cells = [str(tally.counts[column]) for column in columns]
        print(f"| {name} |", " | ".join(cells), f"| {took} |", flush=True)
        if asked.notes:
            print("\n".join(f"    {note}" for note in tally.notes), flush=True)


if __name__ == "__main__":
    main()
