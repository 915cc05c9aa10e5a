"""Results of a priority queue. The class itself is the solution's."""

from autograder.author import script_results
from solutions.priority_queue import PriorityQueue


def queue_results(script):
    return script_results(PriorityQueue, script)
