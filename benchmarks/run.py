"""`make bench`: speeds, as ratios to a baseline that runs beside them.

The two are measured in turn, and their medians are compared, so noise affects both. `--large` adds
classes of 800 with all exercises, and of 1,000 and 10,000 with one. `--short` measures almost
nothing; it shows that every benchmark runs.
"""

import sys
from collections.abc import Iterator

from rich.console import Console
from rich.table import Table

from benchmarks.classes import FOUR, against_fresh_processes, efficiency, large, mixed, wild
from benchmarks.commands import check_against_import, start_of_a_class
from benchmarks.course import whole_course
from benchmarks.desk import views
from benchmarks.diagnosis import wrong_beside_right
from benchmarks.isolation import costs, pytests_share
from benchmarks.nbgrader import against_nbgrader
from benchmarks.timing import FULL, SHORT, Row, Size
from benchmarks.watching import saves_to_screen


def main() -> None:
    size = SHORT if "--short" in sys.argv else FULL
    table = Table("what", "measured", "ratio", "aim", title="Medians, taken in turn")
    console, progress = Console(width=140), Console(stderr=True, width=140)
    with progress.status("measuring"):
        for row in measured(size, large_too="--large" in sys.argv):
            table.add_row(*row)
            progress.print(*(cell for cell in row if cell), sep=" | ")
    console.print(table)


def measured(size: Size, large_too: bool) -> Iterator[Row]:
    """Yield each row when it is measured."""
    yield check_against_import("softmax", "numpy", "at most 4×", size)
    if size is FULL:
        yield check_against_import("self_attention", "torch", "at most 1.3×", size)
    yield start_of_a_class(size)
    yield pytests_share(size)
    yield from costs("numpy", size)
    yield from wrong_beside_right(size)
    if size is FULL:
        yield from costs("torch", size)  # the same, and slow to start
    for exercise in ("softmax", "self_attention")[: 1 if size is SHORT else 2]:
        yield from saves_to_screen(exercise, size)
    yield from whole_course(size)
    yield from views(size)
    yield from against_fresh_processes(size)
    yield from efficiency(size)
    yield from against_nbgrader(size)
    yield mixed(20) if size is FULL else mixed(1, FOUR)
    yield from wild(20) if size is FULL else wild(1, FOUR)
    if large_too:
        yield from (mixed(800), large(1_000, ""), large(10_000, "same peak, ±10 %"))


if __name__ == "__main__":
    main()
