"""What students' programs may do goes on working in confinement."""

import sys

import numpy as np
import pytest

from autograder.checks.proxy import Submission
from autograder.course.course_file import Limits
from autograder.sandbox.fork_server import ForkServers
from autograder.sandbox.levels import LEVELS, why_not
from autograder.sandbox.session import WorkerSession
from autograder.sandbox.workers import Workers
from autograder.submission.source import Source
from autograder.worker.messages import Unit

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="confinement is Linux's")

PROGRAM = """
import dataclasses, functools, itertools, json, math, random, re, threading, warnings
import numpy as np
import helper

@dataclasses.dataclass
class Point:
    x: float

def printing():
    print("shape:", (2, 3))
    warnings.warn("careful")
    return 1

def recursion(n=500):
    return 0 if n == 0 else 1 + recursion(n - 1)

def helping():
    return helper.twice(21)

def seeded():
    return np.random.default_rng(3).normal(size=3)

def linear():
    return np.linalg.solve(np.eye(50) * 2, np.ones(50)).sum()

def large():
    return (np.ones((300, 300)) @ np.ones((300, 300))).sum()

def in_a_thread():
    found = []
    thread = threading.Thread(target=lambda: found.append(1))
    thread.start()
    thread.join()
    return found

def lazily():
    import decimal, statistics, textwrap, unittest
    return statistics.mean([1, 3])

def files():
    with open("notes.txt", "w") as file:
        file.write("mine")
    np.save("array.npy", np.ones(3))
    return open("notes.txt").read() + str(np.load("array.npy").sum())

def temporary():
    import tempfile
    with tempfile.TemporaryFile() as file:
        return file.write(b"abc")
"""
PLOT = """
import matplotlib.pyplot as plt
def plot():
    figure, axes = plt.subplots()
    axes.imshow([[1, 2], [3, 4]])
    axes.set(title=r"$\\sqrt{d_k}$", xlabel="x")
    plt.savefig("figure.png")
    return figure
"""
ADAM = """
import torch
def train():
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(4, 16), torch.nn.ReLU(), torch.nn.Linear(16, 1))
    x = torch.randn(32, 4)
    y = x.sum(1, keepdim=True)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
    losses = []
    for _ in range(50):
        optimizer.zero_grad()
        loss = torch.nn.functional.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses
"""


@pytest.fixture
def confined():
    opened = []

    def run(text, level="full", library="numpy", **helpers):
        if why_not(level):
            pytest.skip(f"{level} does not hold here: {why_not(level)}")
        children = ForkServers("reference", level)
        source = Source("work", "work.py", (Unit("work.py", text),), helpers)
        client = WorkerSession(Workers(source, library, Limits(call_seconds=20), children))
        opened.extend([client, children])
        return Submission(client)

    yield run
    for thing in opened:
        thing.close()


@pytest.mark.parametrize("level", LEVELS)
def test_programs(confined, level):
    work = confined(PROGRAM, level, helper="def twice(x): return 2 * x\n")
    assert work.printing() == 1
    assert "shape: (2, 3)" in work._session.workers.printed
    assert work.recursion() == 500
    assert work.helping() == 42
    np.testing.assert_array_equal(work.seeded(), np.random.default_rng(3).normal(size=3))
    assert work.linear() == 25
    assert work.large() == 300**3
    assert work.in_a_thread() == [1]
    assert work.lazily() == 2
    if level == "full":  # the other levels have no folder of their own
        assert work.files() == "mine3.0"
        assert work.temporary() == 3


def test_plots(confined):
    figure = confined(PLOT).plot()
    assert figure.axes[0].images[0].values == [1, 2, 3, 4]


@pytest.mark.thorough
def test_fifty_steps_of_adam(confined):
    losses = confined(ADAM, library="torch").train()
    assert losses[-1] < losses[0] / 4


def test_the_same_numbers_as_without_confinement(confined, submit):
    """The same kernels are chosen, to the last digit."""
    text = "import numpy as np\ndef f(x): return np.exp(x) @ np.sin(x.T)"
    x = np.random.default_rng(1).normal(size=(40, 50))
    np.testing.assert_array_equal(confined(text).f(x), submit(text).f(x))
