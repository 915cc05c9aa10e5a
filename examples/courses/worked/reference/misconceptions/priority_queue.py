"""Misconceptions about `priority_queue`: each is a class that does one thing wrong."""

from autograder.author import Mistakes, Recipe
from reference.checks.test_priority_queue import LEN, PEEK, POP, PUSHES, drawn
from solutions.priority_queue import PriorityQueue


def queue(**methods):
    return type("Queue", (PriorityQueue,), methods)


def ordered(key, step=1):
    return queue(choose=lambda self: sorted(self.entries[::step], key=key)[0])


def probes(rng):
    short = [[*PUSHES[:2], POP], [*PUSHES, POP, POP, POP], [*PUSHES, PEEK, LEN, POP], [POP], [PEEK]]
    return [(script,) for script in [*short, *(drawn(rng) for _ in range(6))]]


WRONG = {
    "first-in": ("The first entry leaves first, whatever its number.", ordered(lambda each: 0)),
    "last-in": ("The last entry leaves first.", queue(choose=lambda self: self.entries[-1])),
    "largest": ("The largest number leaves first.", ordered(lambda each: -each[1])),
    "last-of-equals": ("Of equal numbers, the last leaves first.", ordered(lambda each: each[1], -1)),
    "by-name": ("Equal numbers leave in alphabetical order.", ordered(lambda each: each[::-1])),
    "peek-removes": ("peek() removes the entry.", queue(peek=PriorityQueue.pop)),
    "pop-leaves": ("pop() leaves the entry in the queue.", queue(pop=PriorityQueue.peek)),
    "none-if-empty": (
        "pop() of an empty queue returns None.",
        queue(pop=lambda self: PriorityQueue.pop(self) if self.entries else None),
    ),
}
MISTAKES = Mistakes(Recipe(PriorityQueue, probes, WRONG))
