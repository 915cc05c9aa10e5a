"""`make soak`: thousands of mixed submissions for one judge, to find leaks."""

import os
import random
import sys
import time
from pathlib import Path

from autograder.course.course_file import find_course
from autograder.grading.judge import Judge
from autograder.sandbox.fork_server import ForkServers
from autograder.submission.source import Source
from autograder.worker.messages import Unit

ROOT = Path(__file__).resolve().parent.parent
CLASS = ROOT / "examples" / "class"
RIGHT = [(CLASS / s / "softmax.py").read_text() for s in ("s01", "s02", "s03")]
WRONG = [(CLASS / s / "softmax.py").read_text() for s in ("s06", "s07", "s12", "s14", "s22", "s24")]
HOSTILE = [
    "import os\ndef softmax(x, axis=-1): os._exit(0)",
    "import os\ndef softmax(x, axis=-1): os.abort()",
    "def softmax(x, axis=-1): return bytearray(4 * 2**30)",
    "import os\nos.write(3, b'noise' * 100)\ndef softmax(x, axis=-1): return x",
    "import os\ndef softmax(x, axis=-1):\n    while True: os.open('/dev/null', 0)",
    "import threading, time\n"
    "def softmax(x, axis=-1):\n"
    "    while True: threading.Thread(target=time.sleep, args=(60,), daemon=True).start()",
    "def softmax(x, axis=-1):\n    for i in range(9999): open(f'f{i}', 'w').write('x' * 9999)",
    "def softmax(x, axis=-1):\n    print('x' * 10**8)",
    "def softmax(x, axis=-1): return softmax(x)",
]


def kilobytes(process: int) -> int:
    """Return the resident memory."""
    with open(f"/proc/{process}/status", encoding="utf-8") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmRSS"))


def measure(process: int) -> dict[str, int]:
    me = os.getpid()
    parents = [Path(f"/proc/{p}/stat") for p in os.listdir("/proc") if p.isdigit()]
    below = sum(1 for stat in parents if _parent(stat) in {me, process})
    return {
        "judge KB": kilobytes(me),
        "fork server KB": kilobytes(process),
        "descriptors": len(os.listdir("/proc/self/fd")),
        "its descriptors": len(os.listdir(f"/proc/{process}/fd")),
        "threads": len(os.listdir("/proc/self/task")),
        "processes": below,
        "mounts": len(Path("/proc/self/mountinfo").read_text().splitlines()),
        "its mounts": len(Path(f"/proc/{process}/mountinfo").read_text().splitlines()),
    }


def _parent(stat: Path) -> int:
    try:
        return int(stat.read_text().rsplit(")", 1)[1].split()[1])
    except (OSError, IndexError):
        return -1


def confined_fork_server(children: ForkServers) -> int:
    """Return the id of the first fork server: a grandchild of the first library process."""
    process = next(iter(children.libraries.values())).process.pid
    for _ in range(2):
        process = int(Path(f"/proc/{process}/task/{process}/children").read_text().split()[0])
    return process


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 5000
    course = find_course(ROOT)
    exercise = course.exercise("softmax")
    choose = random.Random(7)
    children = ForkServers("reference", "full", [ROOT / "reference", ROOT / "autograder"])
    wrong_grades = 0
    start = time.monotonic()
    with Judge(course, [exercise], children) as judge:
        for number in range(count + 1):
            kind = choose.choices(("right", "wrong", "hostile"), (5, 3, 2))[0]
            text = choose.choice({"right": RIGHT, "wrong": WRONG, "hostile": HOSTILE}[kind])
            source = Source("softmax", "softmax.py", (Unit("softmax.py", text),))
            report = judge.run(source).report
            full = report.points == report.max_points
            wrong_grades += full != (kind == "right")
            if number % max(1, count // 5) == 0:
                server = confined_fork_server(children)
                print(f"{number:6} {measure(server)}", flush=True)
    spent = time.monotonic() - start
    print(
        f"{count} submissions in {spent:.0f} s, {count / spent:.0f}/s; {wrong_grades} wrong grades"
    )
    sys.exit(bool(wrong_grades))


if __name__ == "__main__":
    main()
