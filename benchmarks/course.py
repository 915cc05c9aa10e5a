"""Processor time to grade a student's whole course, for each exercise, with correct answers.

`python -m benchmarks.course` prints the table. It grades each answer once and twice, and takes the
difference, so the start of the fork servers does not count.
"""

import resource
import tempfile
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from autograder.course.course_file import Course, Exercise, find_course
from autograder.grading.judge import Judge
from autograder.sandbox.levels import children_on, choose
from autograder.submission.source import read_source
from benchmarks.own_code import own_seconds
from benchmarks.timing import FULL, Row, Size, ms, processor_time_of_ended

ROOT = Path(__file__).resolve().parent.parent


def whole_course(size: Size) -> list[Row]:
    """Return a row for each exercise with checks, and their sum."""
    course = find_course(ROOT)
    exercises = [each for each in course.content.exercises if not each.questions]
    rows, total, own_total = [], 0.0, 0.0
    for exercise in exercises if size is FULL else exercises[:1]:
        files = list(course.right_answers(exercise.name))
        files = files if size is FULL else files[:1]
        judge, workers = cost(course, exercise, files)
        own = sum(own_seconds(exercise.name, file) for file in files) / len(files)
        total, own_total = total + judge + workers, own_total + own
        of_it = f"{ms(judge)} judge, {ms(own)} own code"
        rows.append((f"{exercise.name}: processor time", ms(judge + workers), of_it, ""))
    if size is FULL:
        rows += [
            ("a student's whole course, right answers", ms(total), f"{ms(own_total)} own code", ""),
            ("  of it beyond the student's own code", ms(total - own_total), "", "1 s"),
        ]
    return rows


def cost(course: Course, exercise: Exercise, files: Sequence[Path]) -> tuple[float, float]:
    """Return the seconds of processor time for one submission: the judge's, and its processes'."""
    once, twice = (_spent(course, exercise, list(files) * times) for times in (1, 2))
    judge, workers = ((two - one) / len(files) for one, two in zip(once, twice, strict=True))
    return judge, max(0.0, workers)


def _spent(course: Course, exercise: Exercise, files: Sequence[Path]) -> tuple[float, float]:
    """Return the seconds for these files; the first one only warms up."""
    before = processor_time_of_ended()
    with tempfile.TemporaryDirectory() as scratch:
        children = children_on(choose(None, own_code=True), course, [], Path(scratch))
        with Judge(course, [exercise], children) as judge:
            sources = [read_source(file, exercise.name) for file in files]
            judge.run(sources[0])
            start = _own()
            for source in sources:
                judge.run(source).report
            own = _own() - start
    return own, processor_time_of_ended() - before


def _own() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def main() -> None:
    table = Table("what", "measured", "of it", "aim")
    for row in whole_course(FULL):
        table.add_row(*row)
    Console(width=110).print(table)


if __name__ == "__main__":
    main()
