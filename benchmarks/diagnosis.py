"""Times of the diagnosis: the report of a wrong submission beside that of a correct one."""

import statistics
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from autograder.course.course_file import load_course
from autograder.grading.judge import Judge
from autograder.sandbox.levels import children_on, choose
from autograder.submission.source import Source, read_source
from benchmarks.commands import COMMAND, ROOT, run
from benchmarks.timing import Row, Size, in_turn, ms

EXERCISES = ("softmax", "scaled_dot_product_attention", "causal_mask", "multi_head_reshape")
WRONG = ROOT / "examples" / "wrong"


def wrong_beside_right(size: Size) -> Iterator[Row]:
    """Measure within a class, where replays are cached, and for a single command."""
    right, wrong = [], []
    for name in EXERCISES[: size.commands]:
        one, many = _in_a_class(name, size.commands)
        right.append(one)
        wrong.append(many)
    yield (
        "report on wrong / on right, in a class",
        f"{ms(statistics.mean(wrong))} / {ms(statistics.mean(right))}",
        f"{statistics.mean(wrong) / statistics.mean(right):.1f}×",
        "at most 3×",
    )
    name = "scaled_dot_product_attention"
    with TemporaryDirectory() as folder:
        mistaken = Path(folder, f"{name}.py")
        mistaken.write_text((WRONG / name / "inverted_and_swapped.py").read_text())
        good, bad = in_turn(
            size.commands,
            run(COMMAND, "check", f"solutions/{name}.py"),
            run(COMMAND, "check", str(mistaken), "--course", str(ROOT), fails=True),
        )
    yield (
        "autograder check, two mistakes / none",
        f"{ms(bad)} / {ms(good)}",
        f"{bad / good:.1f}×",
        "at most 3×",
    )


def _in_a_class(name: str, rounds: int) -> tuple[float, float]:
    """Return the median seconds of a correct report, and the mean of the medians of wrong ones."""
    course = load_course(ROOT / "course.yml")
    exercise = course.exercise(name)
    solution = read_source(ROOT / "solutions" / f"{name}.py", name)
    wrong = [read_source(path, name) for path in sorted((WRONG / name).glob("*.py"))]
    with TemporaryDirectory() as scratch:
        children = children_on(choose(None, own_code=True), course, [], Path(scratch))
        with Judge(course, [exercise], children) as judge:

            def seconds(source: Source) -> float:
                taken = []
                for _ in range(rounds):
                    start = time.perf_counter()
                    judge.run(source).report
                    taken.append(time.perf_counter() - start)
                return statistics.median(taken)

            for source in (solution, *wrong):
                judge.run(source).report
            return seconds(solution), statistics.mean([seconds(source) for source in wrong])
