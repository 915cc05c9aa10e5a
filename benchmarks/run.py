"""`make bench`: speeds, as ratios against a baseline that runs beside them.

Pairs are measured in turn and medians compared, so that the machine's noise falls on both sides.
`--large` adds classes of 800 with all exercises, and of 1,000 and 10,000 with one; `--short`
measures next to nothing, to show that all of it runs.
"""

import sys

from rich.console import Console
from rich.table import Table

from benchmarks.classes import FOUR, against_fresh_processes, efficiency, large, mixed
from benchmarks.commands import check_against_numpy
from benchmarks.course import whole_course
from benchmarks.desk import views
from benchmarks.diagnosis import wrong_beside_right
from benchmarks.isolation import costs, pytests_share
from benchmarks.nbgrader import against_nbgrader
from benchmarks.timing import FULL, SHORT
from benchmarks.watching import saves_to_screen


def main() -> None:
    size = SHORT if "--short" in sys.argv else FULL
    table = Table("what", "measured", "ratio", "aim", title="Medians, taken in turn")
    console = Console(width=140)
    with console.status("measuring"):
        rows = [check_against_numpy(size), pytests_share(size)]
        rows += [*costs("numpy", size), *wrong_beside_right(size)]
        rows += costs("torch", size) if size is FULL else []  # the same, and slow to start
        for exercise in ("softmax", "self_attention")[: 1 if size is SHORT else 2]:
            rows += saves_to_screen(exercise, size)
        rows += [*whole_course(size), *views(size)]
        rows += [*against_fresh_processes(size), *efficiency(size), *against_nbgrader(size)]
        rows.append(mixed(20) if size is FULL else mixed(1, FOUR))
        if "--large" in sys.argv:
            rows += [mixed(800), large(1_000, ""), large(10_000, "same peak, ±10 %")]
    for row in rows:
        table.add_row(*row)
    console.print(table)


if __name__ == "__main__":
    main()
