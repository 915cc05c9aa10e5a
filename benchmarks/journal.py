"""Times and memory of a very large class: `python -m benchmarks.journal [STUDENTS]`.

The judges answer at once. So it measures the reading of submissions, the journal, the records, the
tables and the pages: for a first run, a run with a full journal, and an interrupted run. Each run
has its own process.
"""

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import msgspec

from autograder.classroom.grade_class import Job, grade_class
from autograder.course.course_file import load_course
from autograder.report.model import CheckReport, ExerciseReport

ROOT = Path(__file__).resolve().parent.parent
EXERCISE = "causal_mask"
CHECKS = tuple(
    CheckReport(name=f"test_{n}", title=f"A check, number {n}", points=2.0, max_points=2.0,
                outcome="passed" if n % 3 else "failed", finding="" if n % 3 else "It differs.")
    for n in range(7)
)  # fmt: skip


def at_once(tasks, _):
    for task in tasks:
        reports = {}
        for source in task.sources:
            report = ExerciseReport(
                name=source.name, title="A mask", status="graded", points=8.0, max_points=14.0,
                file=source.label, digest=source.digest, checks=CHECKS,
            )  # fmt: skip
            reports[source.name] = msgspec.json.encode(report)
        yield task, reports


class Stopped(Exception):
    pass


def grade(folder: Path, stop: int = 0) -> list[float]:
    """Run once; return seconds, processor time, and the largest memory so far in MB."""
    course = load_course(ROOT / "course.yml")
    job = Job(
        course=course,
        exercises=(course.exercise(EXERCISE),),
        submissions=folder / "class",
        out=folder / "out",
        workers=1,
        seed=0,
    )

    def progress(done: int, _: int) -> None:
        if stop and done >= stop:
            raise Stopped

    start = time.perf_counter()
    before = processor()
    try:
        grade_class(job, progress, graders=at_once)
    except Stopped:
        pass
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    return [time.perf_counter() - start, processor() - before, memory]


def processor() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def run(folder: Path, here: bool, *args: str) -> list[float]:
    if here:
        return grade(folder, int(args[1]) if args else 0)
    command = [sys.executable, "-m", "benchmarks.journal", "--in", str(folder), *args]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return [float(each) for each in done.stdout.split()]


def measure(count: int, here: bool = False) -> None:
    with tempfile.TemporaryDirectory(prefix="cluster-journal-") as made:
        folder = Path(made)
        for number in range(count):
            place = folder / "class" / f"s{number:07}"
            place.mkdir(parents=True)
            (place / f"{EXERCISE}.py").write_text(f"def count_visible(n):\n    return {number}\n")
        for what, args in (
            ("stopped half-way", ["--stop", str(count // 2)]),
            ("gone on with", []),
            ("all known", []),
        ):
            wall, used, memory = run(folder, here, *args)
            print(
                f"{count} students, {what}: {wall:.1f} s, {1e6 * used / count:.0f} µs of the "
                f"processor a student, {memory:.0f} MB at most",
                flush=True,
            )


def main() -> None:
    if "--in" in sys.argv:
        folder = Path(sys.argv[sys.argv.index("--in") + 1])
        stop = int(sys.argv[sys.argv.index("--stop") + 1]) if "--stop" in sys.argv else 0
        return print(*grade(folder, stop))
    short = "--short" in sys.argv
    counts = [int(each) for each in sys.argv[1:] if each.isdigit()]
    for count in counts or ([20] if short else [1_000, 10_000]):
        measure(count, here=short)
    return None


if __name__ == "__main__":
    main()
