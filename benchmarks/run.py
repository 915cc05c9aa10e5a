"""`make bench`: speeds, as ratios against a baseline that runs beside them.

Each pair of measurements is taken in turn, several times, and the medians are compared; the
machine's noise then falls on both sides.
"""

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).resolve().parent.parent
SUBMISSIONS = 40
EXERCISES = ("softmax", "scaled_dot_product_attention", "causal_mask", "multi_head_reshape")


def seconds(action: Callable[[], object]) -> float:
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def in_turn(repeats: int, *actions: Callable[[], object]) -> list[float]:
    """The median time of each action, taken in turn; the first round only warms up."""
    times: list[list[float]] = [[] for _ in actions]
    for round_ in range(repeats + 1):
        for mine, action in zip(times, actions, strict=True):
            spent = seconds(action)
            if round_:
                mine.append(spent)
    return [statistics.median(mine) for mine in times]


def run(*command: str) -> Callable[[], object]:
    def action() -> object:
        return subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd=ROOT)

    return action


def check_against_numpy() -> tuple[str, str, str, str]:
    command = str(Path(sys.executable).with_name("autograder"))
    baseline, ours = in_turn(
        11,
        run(sys.executable, "-c", "import numpy"),
        run(command, "check", "solutions/softmax.py"),
    )
    return (
        "autograder check softmax / import numpy",
        f"{ours * 1000:.0f} ms / {baseline * 1000:.0f} ms",
        f"{ours / baseline:.1f}×",
        "at most 4×",
    )


def grade_against_fresh_processes() -> list[tuple[str, str, str, str]]:
    """`grade` on a class, beside `autograder check` in a fresh process for each submission."""
    files = [ROOT / "solutions" / f"{name}.py" for name in EXERCISES]
    command = str(Path(sys.executable).with_name("autograder"))
    with tempfile.TemporaryDirectory() as scratch:
        students = Path(scratch, "class")
        for number in range(SUBMISSIONS):
            file = files[number % len(files)]
            folder = students / f"s{number:03}"
            folder.mkdir(parents=True)
            (folder / file.name).write_text(file.read_text())

        def fresh() -> None:
            for file in files:
                run(command, "check", str(file))()

        def grade(workers: int) -> Callable[[], object]:
            out = str(Path(scratch, f"out-{workers}"))
            return lambda: subprocess.run(
                [command, "grade", str(students), "--out", out, "--workers", str(workers)],
                check=True,
                capture_output=True,
                cwd=ROOT,
            )

        alone, one, two = in_turn(3, fresh, grade(1), grade(2))
    rate, first, second = len(files) / alone, SUBMISSIONS / one, SUBMISSIONS / two
    return [
        ("a fresh process for each submission", f"{rate:.1f} submissions/s", "1×", ""),
        ("grade, 1 worker", f"{first:.1f} submissions/s", f"{first / rate:.1f}×", "more than 1×"),
        ("grade, 2 workers", f"{second:.1f} submissions/s", f"{second / rate:.1f}×", ""),
    ]


def main() -> None:
    table = Table("what", "measured", "ratio", "aim", title="Medians, taken in turn")
    table.add_row(*check_against_numpy())
    for row in grade_against_fresh_processes():
        table.add_row(*row)
    Console(width=110).print(table)


if __name__ == "__main__":
    main()
