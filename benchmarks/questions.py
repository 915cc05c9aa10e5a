"""What a question costs that a student's test asks the course's function: tests ask thousands."""

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from autograder.checks.proxy import Submission
from autograder.course.course_file import load_course
from autograder.sandbox.levels import children_on, choose
from autograder.sandbox.session import open_session
from autograder.submission.source import Source
from autograder.worker.messages import Unit
from benchmarks.commands import ROOT
from benchmarks.timing import Row, Size, in_turn, ms

ASKS = """
def asks(implementation, x, count):
    total = 0.0
    for _ in range(count):
        total = total + implementation(x)[0].sum()
    return total
"""
SOFTMAX = """
import numpy as np
def implementation(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    return weights, weights.sum()
"""
QUESTIONS = 1000


def of_a_test(size: Size) -> Row:
    """With a line between the two processes, beside the way through the judge."""
    course = load_course(ROOT / "course.yml")
    exercise = course.exercise("find_the_bug")
    x = np.linspace(0.0, 1.0, 24).reshape(4, 6)
    with TemporaryDirectory() as scratch:
        children = children_on(choose(None, own_code=True), course, [], Path(scratch))

        def asked(together: bool) -> None:
            source = Source("asks", "asks.py", (Unit("asks.py", ASKS),))
            client = open_session(source, exercise.needs, course.limits(exercise), children)
            client.workers.may_lay_lines = together
            work = Submission(client)
            try:
                work.asks(work.elsewhere(SOFTMAX, "implementation"), x, QUESTIONS)
            finally:
                client.close()

        try:
            rounds = min(size.commands, 5)
            straight, carried = in_turn(rounds, lambda: asked(True), lambda: asked(False))
        finally:
            children.close()
    return (
        "a question of a student's test, by the judge / by a line",
        f"{ms(carried / QUESTIONS)} / {ms(straight / QUESTIONS)}",
        f"{carried / straight:.1f}×",
        "",
    )
