"""What code draws without a generator of its own is the same in every process."""

import sys

import torch

from autograder.worker.messages import Request, Unit
from autograder.worker.serve import Answers

DRAWS = """
import random, numpy, torch
def draws():
    return [random.random(), numpy.random.rand(), torch.rand(1).item()]
"""


def drawn() -> object:
    answers = Answers([], lambda ask: Request("answer", ""))
    answers.answer(Request("load", "work", units=[Unit("work.py", DRAWS)]))
    return answers.answer(Request("call", "draws")).value


def test_two_processes_draw_the_same(monkeypatch):
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))  # loading hides `autograder`
    first = drawn()
    torch.manual_seed(77)  # as the system would, before another process
    assert drawn() == first
