"""What a submission's own code takes of its grading: `python -m benchmarks.own_code EXERCISE FILE`.

Calls are noted while the file is graded, then made again in this process, where only the student's
functions are timed. Loading leaves its marks on a process, so each file has its own.
"""

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

from autograder.course import find_course
from autograder.grading.session import Judge
from autograder.sandbox.levels import children_on, choose
from autograder.sandbox.process import MAX_REQUEST, WorkerProcess
from autograder.submission.source import read_source
from autograder.worker.codec import decode, encode
from autograder.worker.messages import Forward, Reply, Request
from autograder.worker.serve import Answers, warm_up

ROOT = Path(__file__).resolve().parent.parent


def own_seconds(exercise: str, file: Path) -> float:
    """Seconds of processor time in a right answer's own functions, measured in another process.

    Of a test that calls what the course gives it, only what comes before the first call counts.
    """
    command = [sys.executable, "-m", "benchmarks.own_code", exercise, str(file)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return float(done.stdout)


def noted(exercise: str, file: Path) -> list[tuple[int, Request]]:
    """Every request of one grading of a file, with the process that it went to."""
    course = find_course(ROOT)
    found: list[tuple[int, Request]] = []
    exchange = WorkerProcess.exchange

    def noting(process: WorkerProcess, request: Request, *rest: Any) -> Reply:
        found.append((id(process), request))
        return exchange(process, request, *rest)

    with tempfile.TemporaryDirectory() as scratch:
        children = children_on(choose(None, own_code=True), course, [], Path(scratch))
        with Judge(course, [course.exercise(exercise)], children) as judge:
            source = read_source(file, exercise)
            with mock.patch.object(WorkerProcess, "exchange", noting):
                judge.grade(source)
    return found


class _Timed(Answers):
    """Answers as a worker does, and adds up what the student's functions take."""

    spent = 0.0

    def _find(self, request: Request) -> Any:
        found = super()._find(request)
        counts = request.operation == "call" and request.forward is None and callable(found)
        return self._timed(found) if counts else found

    def _forward(
        self, build: Any, args: list[Any], kwargs: dict[str, Any], asked: Forward
    ) -> Reply:
        passed: Reply = self._timed(super()._forward)(build, args, kwargs, asked)
        return passed

    def _timed(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def timed(*args: Any, **kwargs: Any) -> Any:
            start = time.process_time()
            try:
                return function(*args, **kwargs)
            finally:
                _Timed.spent += time.process_time() - start

        return timed


def _no_answer(_: object) -> Request:
    raise RuntimeError("nobody answers here")


def main() -> None:
    requests = noted(sys.argv[1], Path(sys.argv[2]))
    needs = find_course(ROOT).exercise(sys.argv[1]).needs
    warm_up(["numpy.random", "matplotlib.pyplot", needs])
    processes: dict[int, Answers] = {}
    for process, request in requests:
        answers = processes.setdefault(process, _Timed([], _no_answer))
        header, _, buffers = encode(request, MAX_REQUEST)
        sent = b"".join(bytes(buffer) for buffer in buffers)
        asked = decode(Request, sent[:header], sent[header:])
        if asked.renewed:  # of several processes in one, none stays as it was
            asked.renewed = False
            answers.kept.clear()
        answers.answer(asked)
    sys.stdout.write(f"{_Timed.spent}\n")


if __name__ == "__main__":
    main()
