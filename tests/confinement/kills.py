"""Kills at seeded random moments: a resumed run must end as an undisturbed one.

`python -m tests.confinement.kills 200` kills that many times: the command itself, one of its
judges, the process that judges are forked from, a fork server, or a submission's process.
"""

import contextlib
import hashlib
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.confinement.arena import ROOT

RIGHT = (ROOT / "examples/class/s01/softmax.py").read_text()
WORKS = (
    RIGHT,
    f"import time\ntime.sleep(0.2)\n{RIGHT}",
    (ROOT / "examples/class/s06/softmax.py").read_text(),
    "import os\ndef softmax(x, axis=-1): os._exit(3)\n",
    "def softmax(x, axis=-1: return x\n",
    "import os\nos.abort()\n",
)


class Killer:
    """Grades a class repeatedly, and sometimes kills one of its processes."""

    def __init__(self, folder: Path, seed: int, students: int) -> None:
        self.folder = folder
        self.random = random.Random(seed)
        self.kills: dict[str, int] = {}
        for number in range(students):
            place = folder / "class" / f"s{number:03}"
            place.mkdir(parents=True)
            work = WORKS[number % len(WORKS)]
            (place / "softmax.py").write_text(f"{work}\n# {number}\n")

    def start(self, out: str) -> "subprocess.Popen[bytes]":
        command = ["grade", "class", "--out", out, "--exercise", "softmax", "--workers", "2"]
        with (self.folder / "said").open("ab") as said:
            return subprocess.Popen(
                [sys.executable, "-m", "autograder", *command, "--course", str(ROOT)],
                cwd=self.folder,
                stdout=subprocess.DEVNULL,
                stderr=said,
            )

    def undisturbed(self) -> dict[str, str]:
        assert self.start("calm").wait(300) == 0
        return digest(self.folder / "calm")

    def disturbed(self, out: str, most: int) -> int:
        """Grade one class with up to `most` kills, and return how many there were."""
        kills = 0
        run = self.start(out)
        while run.poll() is None:
            self._pause(run, self.random.uniform(0.1, 2.2))
            if kills < most and run.poll() is None:
                kind = self._kill_one(run.pid)
                if kind:
                    kills += 1
                    self.kills[kind] = self.kills.get(kind, 0) + 1
            if run.poll() is not None and run.returncode == -signal.SIGKILL:
                run = self.start(out)
        if run.returncode:
            said = (self.folder / "said").read_text()[-2000:]
            records = (self.folder / out / "report.jsonl").read_text().splitlines()
            odd = [line[:1500] for line in records if '"status":"graded"' not in line]
            raise AssertionError(f"the run ended with {run.returncode}: {said} {odd}")
        return kills

    def _pause(self, run: "subprocess.Popen[bytes]", seconds: float) -> None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            run.wait(seconds)

    def _kill_one(self, command: int) -> str:
        tree = below(command)
        kinds = {"command": [command]}
        parents = parent_of()
        for process, text in tree.items():
            if "start.py" in text:
                is_child = any(other == process for other in self._submissions(tree))
                kinds.setdefault("submission" if is_child else "fork server", []).append(process)
            elif "multiprocessing.forkserver" in text:
                is_first = parents.get(process) == command
                kinds.setdefault("source of judges" if is_first else "judge", []).append(process)
        kind = self.random.choice(sorted(kinds))
        try:
            os.kill(self.random.choice(sorted(kinds[kind])), signal.SIGKILL)
        except ProcessLookupError:
            return ""
        return kind

    def _submissions(self, tree: dict[int, str]) -> list[int]:
        """Return the processes below two fork-server processes."""
        parents = parent_of()
        servers = {process for process, text in tree.items() if "start.py" in text}
        return [
            p for p in servers if parents.get(p) in servers and parents.get(parents[p]) in servers
        ]


def parent_of() -> dict[int, int]:
    shown = subprocess.run(["ps", "-e", "-o", "pid=,ppid="], capture_output=True, text=True).stdout
    return {int(a): int(b) for a, b in (line.split() for line in shown.splitlines())}


def below(process: int) -> dict[int, str]:
    """Return the processes below a process, with their command lines."""
    parents = parent_of()
    found: set[int] = {process}
    for _ in range(8):
        found |= {child for child, parent in parents.items() if parent in found}
    texts = {}
    for child in found - {process}:
        try:
            texts[child] = Path(f"/proc/{child}/cmdline").read_text().replace("\0", " ")
        except OSError:
            continue
    return texts


def digest(out: Path) -> dict[str, str]:
    """Return digests of a run's result: the files for people, and the rows of the journal."""
    files = [p for p in out.rglob("*") if p.suffix in {".csv", ".jsonl", ".html"}]
    found = {
        str(p.relative_to(out)): hashlib.sha256(p.read_bytes()).hexdigest() for p in sorted(files)
    }
    database = sqlite3.connect(out / "journal.sqlite")
    rows = database.execute("SELECT * FROM results ORDER BY 1, 2").fetchall()
    found["results"] = hashlib.sha256(repr(rows).encode()).hexdigest()
    database.close()
    return found


def _difference(folder: Path, calm: dict[str, str], other: dict[str, str]) -> str:
    """Return the difference: the files and tables that differ, and the first records that do."""
    names = sorted(name for name in calm.keys() | other.keys() if calm.get(name) != other.get(name))
    records = [
        (folder / run / "report.jsonl").read_text().splitlines() for run in ("calm", "disturbed")
    ]
    pairs = [f"{a}\n{b}" for a, b in zip(*records, strict=False) if a != b]
    return "\n".join([f"other than undisturbed: {', '.join(names)}", *pairs[:2]])


def disturb(kills: int, seed: int, students: int = 60) -> dict[str, int]:
    """Kill that many times; raise AssertionError if a result differs from an undisturbed one."""
    with tempfile.TemporaryDirectory() as folder:
        killer = Killer(Path(folder), seed, students)
        calm = killer.undisturbed()
        left = kills
        while left > 0:
            left -= killer.disturbed("disturbed", min(left, 6))
            other = digest(Path(folder, "disturbed"))
            assert other == calm, _difference(Path(folder), calm, other)
            shutil.rmtree(Path(folder, "disturbed"))
        return killer.kills


def main() -> None:
    start = time.monotonic()
    kills = disturb(int(sys.argv[1]), seed=1)
    print(
        f"{sum(kills.values())} kills in {time.monotonic() - start:.0f} s: {kills}; no difference"
    )


if __name__ == "__main__":
    main()
