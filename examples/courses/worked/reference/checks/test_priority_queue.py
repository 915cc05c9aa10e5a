"""Checks of `priority_queue`."""

import pytest

from autograder.author import expect_script
from reference.priority_queue import queue_results

PUSHES = [("push", "tea", 2), ("push", "call", 1), ("push", "mail", 2)]
POP, PEEK, LEN = ("pop",), ("peek",), ("__len__",)


def drawn(rng):
    calls = [("push", f"e{n}", int(rng.integers(4))) for n in range(30)]
    return [call if rng.random() < 0.6 else (POP, PEEK, LEN)[rng.integers(3)] for call in calls]


@pytest.mark.check("One entry, and several with other numbers", points=3, grades=["order"])
def test_order(submission):
    """Which of two entries has the smaller number?
    The entry with the smallest number leaves first.
    Look at the line that chooses the entry for pop().
    """
    expect_script(submission.PriorityQueue, queue_results, [PUSHES[0], POP], [*PUSHES[:2], POP, POP])


@pytest.mark.check("Equal numbers", points=2, grades=["order"], needs=["test_order"])
def test_equal(submission):
    """Which of two entries with equal numbers leaves first in your queue?
    The one that came first leaves first.
    Does your code compare the entries themselves?
    """
    expect_script(submission.PriorityQueue, queue_results, [*PUSHES, POP, POP, POP])


@pytest.mark.check("A look, and an empty queue", points=2, grades=["look", "empty"])
def test_look(submission):
    """How many entries are in your queue after peek()?
    peek() and len() leave the queue as it is. An empty queue raises an IndexError.
    Compare peek() with pop().
    """
    expect_script(submission.PriorityQueue, queue_results, [*PUSHES, PEEK, LEN, PEEK, POP])
    expect_script(submission.PriorityQueue, queue_results, [POP], [PEEK], [PUSHES[0], POP, POP])


@pytest.mark.hidden
@pytest.mark.check("Other calls", points=1, grades=["order", "look", "empty"])
def test_others(submission, rng):
    expect_script(submission.PriorityQueue, queue_results, *(drawn(rng) for _ in range(4)))
