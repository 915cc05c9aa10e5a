"""Share of a submission's own code in its grading: `python -m benchmarks.own_code EXERCISE FILE`.

It records the calls while the file is graded. Then it repeats them in this process, and times only
the student's functions. Each file has its own process, because loading changes a process.
"""

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar
from unittest import mock

from autograder.course.course_file import find_course
from autograder.grading.judge import Judge
from autograder.sandbox.connection import Deadline
from autograder.sandbox.levels import children_on, choose
from autograder.sandbox.process import MAX_REQUEST, AnswerTo, WorkerProcess
from autograder.submission.source import read_source
from autograder.worker.codec import decode, encode
from autograder.worker.messages import Callback, Forward, Reply, Request
from autograder.worker.preparation import warm_up
from autograder.worker.serve import Answers

ROOT = Path(__file__).resolve().parent.parent
Message = TypeVar("Message", Callback, Request)


def own_seconds(exercise: str, file: Path) -> float:
    """Return the processor seconds of a correct answer's functions, measured in another process.

    Questions of a test to the course's functions get their recorded answers, which take no time.
    """
    command = [sys.executable, "-m", "benchmarks.own_code", exercise, str(file)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return float(done.stdout)


def noted(exercise: str, file: Path) -> list[tuple[int, Request, list[Request]]]:
    """Return every request of one grading of a file, with its process and its answers."""
    course = find_course(ROOT)
    found: list[tuple[int, Request, list[Request]]] = []
    exchange = WorkerProcess.exchange

    def noting(
        process: WorkerProcess, request: Request, deadline: Deadline, answer: AnswerTo | None = None
    ) -> Reply:
        answers: list[Request] = []
        found.append((id(process), request, answers))

        def answered(ask: Callback) -> Request:
            assert answer is not None
            answers.append(answer(ask))
            return answers[-1]

        return exchange(process, request, deadline, answered if answer is not None else None)

    with tempfile.TemporaryDirectory() as scratch:
        children = children_on(choose(None, own_code=True), course, [], Path(scratch))
        with Judge(course, [course.exercise(exercise)], children) as judge:
            source = read_source(file, exercise)
            with mock.patch.object(WorkerProcess, "exchange", noting):
                judge.run(source).report
    return found


class _Timed(Answers):
    """Worker that answers requests and adds up the time of the student's functions."""

    spent = 0.0
    course: Iterator[Request] = iter(())  # the answers to the questions of this request

    def __init__(self) -> None:
        super().__init__([], self._ask)

    def _ask(self, question: Callback) -> Request:
        start = time.process_time()
        _sent(question)
        answered = _sent(next(self.course))
        _Timed.spent -= time.process_time() - start
        return answered

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


def _sent(message: Message) -> Message:
    """Return a copy of a message that shares nothing with the sender."""
    header, _, buffers = encode(message, MAX_REQUEST)
    sent = b"".join(bytes(buffer) for buffer in buffers)
    return decode(type(message), sent[:header], sent[header:])


def main() -> None:
    requests = noted(sys.argv[1], Path(sys.argv[2]))
    needs = find_course(ROOT).exercise(sys.argv[1]).needs
    warm_up(["numpy.random", "matplotlib.pyplot", needs])
    processes: dict[int, Answers] = {}
    for process, request, course in requests:
        answers = processes.setdefault(process, _Timed())
        _Timed.course = iter(course)
        asked = _sent(request)
        answers.answer(asked)
    sys.stdout.write(f"{_Timed.spent}\n")


if __name__ == "__main__":
    main()
