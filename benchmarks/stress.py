"""`make stress`: a class graded beside busy loops several times; every byte has to be the same.

`python -m benchmarks.stress STUDENTS RUNS LOOPS [EXERCISE...]`: each student has these exercises,
or all, alternately correct and wrong. The first run is alone on the machine. Each other run has
`LOOPS` busy loops beside it.
"""

import contextlib
import itertools
import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from autograder.course.course_file import find_course
from benchmarks.commands import COMMAND, ROOT

COMPARED = ("report.jsonl", "grades.csv", "index.html")


def make_class(folder: Path, students: int, exercises: list[str]) -> Path:
    """Return each student's exercises: in turn correct, alternative and wrong."""
    for exercise in exercises or find_course(ROOT).exercises:
        kinds = [ROOT / "solutions" / f"{exercise}.py"]
        for folder_name in ("right", "wrong"):
            kinds += sorted((ROOT / "examples" / folder_name / exercise).glob("*.py"))
        for number, path in zip(range(students), itertools.cycle(kinds), strict=False):
            place = folder / f"s{number:03}"
            place.mkdir(parents=True, exist_ok=True)
            text = path.read_text(encoding="utf-8")
            (place / f"{exercise}.py").write_text(f"{text}\n# {number}\n", encoding="utf-8")
    return folder


@contextlib.contextmanager
def busy(loops: int) -> Iterator[None]:
    """Start this number of busy processes."""
    code = "import os\nparent = os.getppid()\nwhile os.getppid() == parent: pass"
    running = [subprocess.Popen([sys.executable, "-c", code]) for _ in range(loops)]
    try:
        yield
    finally:
        for process in running:
            process.kill()
            process.wait()


def grade(students: Path, out: Path) -> dict[str, bytes]:
    command = [COMMAND, "grade", str(students), "--out", str(out), "--course", str(ROOT)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in {0, 1}:
        sys.exit(done.stderr)
    return {name: (out / name).read_bytes() for name in COMPARED}


def statuses(reports: bytes) -> Counter[str]:
    """Return the number of exercises with each status."""
    found = (exercise["status"] for line in reports.splitlines() for exercise in
             json.loads(line)["exercises"])  # fmt: skip
    return Counter(found)


def main() -> None:
    students, runs, loops = (int(each) for each in (*sys.argv[1:4], "20", "5", "8")[:3])
    failed = False
    with tempfile.TemporaryDirectory() as scratch:
        folder = make_class(Path(scratch, "class"), students, sys.argv[4:])
        alone = grade(folder, Path(scratch, "alone"))
        print(f"alone: {dict(statuses(alone['report.jsonl']))}", flush=True)
        for run in range(runs):
            start = time.monotonic()
            with busy(loops):
                beside = grade(folder, Path(scratch, f"beside-{run}"))
            found = statuses(beside["report.jsonl"])
            differ = [name for name in COMPARED if beside[name] != alone[name]]
            failed = failed or bool(differ) or found["timed out"] > 0 or found["crashed"] > 0
            said = f"differs in {', '.join(differ)}" if differ else "the same bytes"
            spent = f"{time.monotonic() - start:.0f} s"
            print(f"beside {loops} loops: {said}, {dict(found)}, {spent}", flush=True)
    sys.exit(failed)


if __name__ == "__main__":
    main()
