"""Time of `autograder watch` from a save to the report, in a pseudo-terminal."""

import statistics
import tempfile
import time
from pathlib import Path

from benchmarks.commands import COMMAND, run
from benchmarks.timing import Row, Size, ms, seconds
from tests.student.terminal import Terminal

ROOT = Path(__file__).resolve().parent.parent
AIMS = {"softmax": 100, "self_attention": 300}
WRONG = {"softmax": "columns_by_habit", "self_attention": "forgets_scaling"}


def saves_to_screen(exercise: str, size: Size) -> list[Row]:
    """Save correct and wrong answers in turn, and start a command for each as a comparison."""
    texts = {
        "right": (ROOT / "solutions" / f"{exercise}.py").read_text(encoding="utf-8"),
        "wrong": (ROOT / "examples/wrong" / exercise / f"{WRONG[exercise]}.py").read_text(
            encoding="utf-8"
        ),
    }
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"{exercise}.py"
        file.write_text(texts["wrong"], encoding="utf-8")
        terminal = Terminal("watch", exercise, cwd=folder, lines=100, AUTOGRADER_COURSE=str(ROOT))
        try:
            terminal.until(" points\n", 300)
            times = _in_turn(terminal, file, texts, max(size.repeats // 2, 1))
        finally:
            terminal.close()
        checks = {}
        for kind, text in texts.items():
            file.write_text(text, encoding="utf-8")
            checks[kind] = _check(file, kind == "wrong", size)
    return [_row(exercise, kind, times[kind], checks[kind]) for kind in texts]


def _in_turn(
    terminal: Terminal, file: Path, texts: dict[str, str], repeats: int
) -> dict[str, float]:
    """Return the median seconds from a save to its report; the first round only warms up."""
    times: dict[str, list[float]] = {kind: [] for kind in texts}
    for round_ in range(repeats + 1):
        for kind, text in texts.items():
            terminal.quiet(0.2)
            seen = len(terminal.said)
            start = time.perf_counter()
            file.write_text(f"{text}\n# {round_}\n", encoding="utf-8")
            while not _is_there(terminal, seen):
                terminal.read(1)
            if round_:
                times[kind].append(time.perf_counter() - start)
    return {kind: statistics.median(mine) for kind, mine in times.items()}


def _is_there(terminal: Terminal, seen: int) -> bool:
    """Tell whether the screen shows a complete new report."""
    is_new = "\x1b[1;1H" in terminal.said[seen:] and terminal.screen.endswith("quit\n")
    return is_new and "Checking" not in terminal.screen


def _check(file: Path, fails: bool, size: Size) -> float:
    command = run(COMMAND, "check", str(file), "--course", str(ROOT), fails=fails)
    return statistics.median(seconds(command) for _ in range(max(size.commands // 4, 1)))


def _row(exercise: str, kind: str, watched: float, checked: float) -> Row:
    return (
        f"watch {exercise}, {kind}: save to screen / check",
        f"{ms(watched)} / {checked * 1000:.0f} ms",
        f"{watched / checked:.2f}×",
        f"at most {AIMS[exercise]} ms",
    )
