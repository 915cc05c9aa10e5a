"""Errors of an author that `verify` once passed without a word: each is now a fault, cause first."""

import re

import pytest

from autograder.authoring.verify import STEPS, Verifier
from autograder.cli import app
from autograder.course.course_file import load_course

CHECKS = "reference/checks/test_shares.py"
MISTAKES = "reference/misconceptions/shares.py"
SOLUTION = "solutions/shares.py"
MORE = """

@pytest.mark.check("Another", hints=("A?", "B.", "C."), grades=["shares"])
def test_more(submission):
    x = {x}
    {body}
"""
COMPARES = 'expect_close(submission.shares(x), shares(x), "the shares")'
# What is broken: the file, an old text, the new text, and what the only fault says.
ERRORS = {
    "a call without a comparison": (
        CHECKS, None, MORE.format(x="np.ones(3)", body="submission.shares(x)"),
        "test_more fails for no wrong answer",
    ),
    "a comparison of something else": (
        CHECKS, None, MORE.format(x="np.ones(3)", body="expect_close(0 * np.sum(submission.shares(x)), 0)"),
        "test_more fails for no wrong answer",
    ),
    "inputs without a seed": (
        CHECKS, None, MORE.format(x="np.random.uniform(1, 2, size=4)", body=COMPARES),
        "test_more makes other calls in a second run",
    ),
    "probes without a seed": (
        MISTAKES, "rng.uniform", "np.random.uniform", "the probes of shares change",
    ),
    "a forbidden name that does not exist": (
        "course.yml", "needs: numpy", "needs: numpy\n    forbids: [numpy.linlag.qr]",
        "numpy.linlag.qr does not exist .*did you mean `linalg`",
    ),
    "no hints": (
        CHECKS, None,
        MORE.format(x="np.ones(3)", body=COMPARES).replace(', hints=("A?", "B.", "C.")', ""),
        "test_more has no hints",
    ),
    "a hint that is the answer": (
        CHECKS, "Divide each number by the sum of all of them.", "return x/x.sum()",
        "the hint “return x/x.sum.*is a line of the solution",
    ),
    "two equal mistakes": (
        MISTAKES, '    },\n    # What',
        '        "least": ("Least.", lambda s: np.min(s.x)),\n'
        '        "first": ("First.", lambda s: np.sort(s.x)[0]),\n    },\n    # What',
        "fewer than two probes tell least and first apart",
    ),
    "a mistake that no check sees": (
        MISTAKES, '    },\n    # What',
        '        "late": ("Late.", lambda s: np.sum(s.x) + (np.sum(s.x) > 1e3)),\n    },\n    # What',
        "fewer than two probes tell late from the right answer|late: gets full points",
    ),
}  # fmt: skip


@pytest.fixture
def verified(tmp_path, monkeypatch):
    """Return the verifier's result for a new course with these changes."""

    def verified(*changes, steps=STEPS):
        monkeypatch.chdir(tmp_path)
        app(["new", "course", "course"], standalone_mode=False)
        for file, old, new in changes:
            path = tmp_path / "course" / file
            text = path.read_text()
            assert old is None or old in text
            path.write_text(text + new if old is None else text.replace(old, new))
        course = load_course(tmp_path / "course" / "course.yml")
        return Verifier(course, course.exercise("shares")).run(steps)

    return verified


READ = ("right answers",)
NAMES = ("right answers", "misconceptions")
# The steps that CI runs, where not all are needed; `make thorough` runs all, which find nothing else.
FEWER = {
    "probes without a seed": NAMES,
    "a forbidden name that does not exist": READ,
    "no hints": READ,
    "a hint that is the answer": READ,
    "two equal mistakes": NAMES,
    "a mistake that no check sees": NAMES,
}


@pytest.mark.one_in(10)
@pytest.mark.parametrize("error", ERRORS)
def test_an_error_is_a_fault(verified, request, error):
    file, old, new, said = ERRORS[error]
    is_thorough = request.config.getoption("--thorough")
    steps = STEPS if is_thorough else FEWER.get(error, STEPS)
    result = verified((file, old, new), steps=steps)
    assert result.faults
    assert all(re.search(said, fault) for fault in result.faults), result.faults


def test_a_solution_that_is_wrong_is_the_only_cause_that_is_reported(verified):
    result = verified((SOLUTION, "def shares(x):", "def shares(x, y):"))
    first, last = result.faults
    assert first.startswith("right answer shares: The share of each number: shares stopped with")
    assert last == "the solution itself is wrong, so nothing else was tried"
    assert result.mutants == result.misconceptions == result.seeds == 0


def test_a_line_of_the_solution_that_raises_an_error_is_a_fault(verified):
    result = verified((SOLUTION, "import numpy as np\n", "import numpy as np\n\n1 / 0\n"))
    assert "solution cannot be loaded: ZeroDivisionError: division by zero" in result.faults[-2]
    assert "shares.py, line " in result.faults[-2] and "nothing else was tried" in result.faults[-1]


CALLER = """
class Odd:
    def ask(self, submission, recipe, probe):
        return "something else"

    def simulated(self, recipe, original, wrong):
        return lambda x: recipe.run(Probe((x,)), wrong)


MISTAKES ="""


def test_mistakes_without_a_name_have_a_reason(verified):
    changes = [
        (MISTAKES, "import Family", "import Probe, Family"),
        (MISTAKES, "MISTAKES =", CALLER),
        (MISTAKES, "        },\n    )\n)", "        },\n        caller=Odd(),\n    )\n)"),
    ]
    (fault,) = verified(*changes, steps=["right answers", "misconceptions"]).faults
    assert fault.startswith(
        "shares, largest-for-sum: the grader names nothing. A failed check says: The shares: "
    )
