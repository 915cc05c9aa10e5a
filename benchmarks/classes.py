"""Measurements of whole classes: rates, memory, and `grade` beside fresh processes."""

import itertools
import os
import random
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from autograder.course.course_file import find_course
from benchmarks.commands import COMMAND, ROOT
from benchmarks.timing import Row, Size, in_turn, processor_time_of_ended, seconds

SOFTMAX = (ROOT / "examples" / "class" / "s01" / "softmax.py").read_text()
WILD = ROOT / "benchmarks" / "wild"
FOUR = ("softmax", "scaled_dot_product_attention", "causal_mask", "multi_head_reshape")


def make_class(folder: Path, count: int) -> Path:
    """Write the folders of `count` students, each with a correct softmax.py."""
    students = folder / "class"
    for number in range(count):
        place = students / f"s{number:05}"
        place.mkdir(parents=True)
        (place / "softmax.py").write_text(f"{SOFTMAX}\n# {number}\n")
    return students


def grade(
    students: Path, out: Path, workers: int, exercises: Sequence[str] = ("softmax",)
) -> tuple[float, int]:
    """Return the seconds of one run of `grade`, and the largest memory of its processes in MB."""
    command = [COMMAND, "grade", str(students), "--out", str(out)]
    command += [part for name in exercises for part in ("--exercise", name)]
    start = time.perf_counter()
    run = subprocess.Popen(
        [*command, "--workers", str(workers)],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _, status, usage = os.wait4(run.pid, 0)
    run.returncode = os.waitstatus_to_exitcode(status)
    assert run.returncode in {0, 1}  # 1: something needs a person, as answers in words do
    return time.perf_counter() - start, usage.ru_maxrss // 1024


def efficiency(size: Size) -> list[Row]:
    """Return the rates of one worker and of two, for students with four exercises each.

    The time to start is measured separately and subtracted. Each rate is the median of three runs.
    """
    with tempfile.TemporaryDirectory() as scratch:
        classes = {count: Path(scratch, str(count)) for count in (1, size.students)}
        for count, folder in classes.items():
            for number in range(count):
                place = folder / f"s{number:03}"
                place.mkdir(parents=True)
                for name in FOUR:
                    text = (ROOT / "solutions" / f"{name}.py").read_text()
                    (place / f"{name}.py").write_text(f"{text}\n# {number}\n")
        runs = itertools.count()

        def timed(count: int, workers: int) -> Callable[[], object]:
            return lambda: grade(classes[count], Path(scratch, f"out-{next(runs)}"), workers, FOUR)

        times = in_turn(
            min(3, size.commands),
            timed(1, 1),
            timed(size.students, 1),
            timed(1, 2),
            timed(size.students, 2),
        )
    graded = (size.students - 1) * len(FOUR)
    one, two = graded / (times[1] - times[0]), graded / (times[3] - times[2])
    return [
        ("grade, 1 worker", f"{one:.0f} submissions/s", "1×", ""),
        ("grade, 2 workers", f"{two:.0f} submissions/s", f"{two / one:.2f}×", ""),
        ("parallel efficiency, 1 to 2", f"{two / one / 2:.2f}", "", "at least 0.92"),
    ]


def make_mixed(
    folder: Path,
    students: int,
    exercises: Sequence[str],
    seed: int = 2026,
    answers: Path = ROOT / "examples",
    correct: float = 0.6,
) -> int:
    """Write each student's exercises, and return their number.

    `answers` has the folders `right` and `wrong`. The share `correct` is correct.
    """
    rng, course = random.Random(seed), find_course(ROOT)
    count = 0
    for exercise in exercises:
        styles = {
            kind: sorted((answers / kind / exercise).glob("*.py")) for kind in ("right", "wrong")
        }
        if answers != WILD:
            styles["right"].insert(0, course.solution_file(exercise))
        for number in range(students):
            wrong = styles["wrong"] and rng.random() >= correct
            path = rng.choice(styles["wrong" if wrong else "right"])
            place = folder / f"s{number:03}"
            place.mkdir(parents=True, exist_ok=True)
            text = f"{path.read_text(encoding='utf-8')}\n# {number}\n"
            (place / f"{exercise}.py").write_text(text, encoding="utf-8")
            count += 1
    return count


def mixed(students: int, exercises: Sequence[str] = ()) -> Row:
    """Return the rate of a class with these exercises, and the largest memory of a process."""
    exercises = exercises or list(find_course(ROOT).exercises)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch, "class")
        count = make_mixed(folder, students, exercises)
        spent, peak = grade(folder, Path(scratch, "out"), 2, exercises)
    return (
        f"grade, {students:,} students × {len(exercises)} exercises, right 60 : wrong 40",
        f"{count / spent:.1f} submissions/s",
        f"{spent:.0f} s, peak {peak} MB",
        "7 min for 800",
    )


def wild(students: int, exercises: Sequence[str] = ()) -> list[Row]:
    """Return rows for classes with other people's answers: all correct, and 60 % correct."""
    exercises = exercises or sorted(folder.name for folder in (WILD / "right").iterdir())
    rows: list[Row] = []
    for correct, aim in ((1.0, "2.2 s for each student"), (0.6, "8 submissions/s")):
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch, "class")
            count = make_mixed(folder, students, exercises, answers=WILD, correct=correct)
            before = processor_time_of_ended()
            spent, _ = grade(folder, Path(scratch, "out"), 2, exercises)
            used = processor_time_of_ended() - before
        what = f"others' answers, {students} × {len(exercises)}, {correct:.0%} correct"
        rate = f"{count / spent:.1f} submissions/s"
        rows.append((what, rate, f"{used / students:.1f} s of processor time for each", aim))
    return rows


def large(count: int, aim: str) -> Row:
    """Return the rate of a large class, and the largest memory of a process."""
    with tempfile.TemporaryDirectory() as scratch:
        students = make_class(Path(scratch), count)
        spent, peak = grade(students, Path(scratch, "out"), 2)
    return (f"grade, {count:,} submissions", f"{count / spent:.0f}/s", f"peak {peak} MB", aim)


def against_fresh_processes(size: Size) -> list[Row]:
    with tempfile.TemporaryDirectory() as scratch:
        students = make_class(Path(scratch), size.fresh)

        def fresh() -> None:
            for folder in students.iterdir():
                command = [COMMAND, "check", str(folder / "softmax.py")]
                subprocess.run(command, check=True, capture_output=True, cwd=ROOT)

        alone = seconds(fresh)
        ours, _ = grade(students, Path(scratch, "out"), 2)
    return [
        ("a fresh `autograder check` each", f"{size.fresh / alone:.1f} submissions/s", "1×", ""),
        (
            "grade, 2 workers, start-up included",
            f"{size.fresh / ours:.1f} submissions/s",
            f"{alone / ours:.1f}×",
            "",
        ),
    ]
