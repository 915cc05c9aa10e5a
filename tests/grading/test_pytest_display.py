"""pytest shows of a check what the hint policy allows, whatever it is asked to print."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from autograder.course.course_file import load_course
from tests.courses import write_course

pytestmark = pytest.mark.one_in(8)

POLICIES = ("practice", "homework", "exam")
# Each text that a policy may hold back has a word of its own.
CHECKS = '''
import logging
import warnings

import numpy as np
import pytest

from autograder.checks.expect import Mismatch, expect_close
from autograder.checks.expect import expect_error
from tests.courses import write_course


@pytest.fixture
def logged():
    logging.getLogger().warning("LOGGED-BY-A-CHECK")
    print("PRINTED-BY-A-CHECK")
    warnings.warn("WARNED-BY-A-CHECK")


@pytest.mark.check("Ones", points=1)
def test_ones(submission, note):
    expect_close(submission.double(np.ones(2)), [2.0, 2.0])
    note("NOTED-VISIBLY")


@pytest.mark.check("Values", points=1, hints=["HINT-ONE", "HINT-TWO", "HINT-THREE"])
def test_values(submission, logged):
    """DOCSTRING-OF-A-CHECK"""
    local_of_a_check = np.array([123.25, 3.0])
    expect_close(submission.double(local_of_a_check), 2 * local_of_a_check, "VISIBLE-FINDING")


@pytest.mark.check("Needs values", points=1, needs=["test_values"])
def test_after(submission):
    pass


@pytest.mark.hidden
@pytest.mark.check("Kept back", points=1, hints=["HIDDEN-HINT"])
@pytest.mark.parametrize("number", [8765.5, 4321.25], ids=["ID-8765", "ID-4321"])
def test_hidden(submission, number, logged, note, record_property):
    record_property("hidden_input", number)
    note(f"NOTED-OF-{number}")
    expect_close(submission.double(np.array([number])), [2 * number], f"HIDDEN-FINDING {number}")


@pytest.mark.hidden
@pytest.mark.check("Kept back, and passed", points=1)
def test_hidden_that_passes(submission, note, logged):
    note("NOTED-IN-HIDING")
    submission.double(np.array([5432.125]))


@pytest.mark.hidden
@pytest.mark.check("Kept back, told by itself", points=1)
def test_hidden_mistake(submission, logged):
    value = submission.double(np.array([6543.5]))
    raise Mismatch(f"HIDDEN-OWN {value}", mistake="off-by-one", told="TOLD-IN-HIDING")
'''
WRONG = "def double(x):\n    return 2 * x + (x != 1)\n"
RAISING = "def double(x):\n    raise ValueError(f'got {x}')\n"
JUNIT = ["--junitxml=out.xml", "-o", "junit_logging=all", "-o", "junit_family=xunit1"]
OPTIONS = {
    "locals, and junit": ["-l", "-rA", "-vv", *JUNIT],
    "long": ["--showlocals", "--tb=long", "-rP", "--capture=tee-sys"],
    "short": ["--tb=short", "--durations=0", "-W", "always", "-rw"],
    "line": ["--tb=line", "-k", "hidden", "-rA"],
    "native": ["--tb=native", "--assert=plain", "-x"],
    "no": ["--tb=no", "-q", "-rs"],
    "not captured": ["-s", "-p", "no:logging", "--setup-show"],
    "full trace": ["--full-trace", "-l"],
    "junit": JUNIT,
    "collect": ["--collect-only", "-v"],
}
# Never: the checks' source, what a hidden check was asked, and what it found.
NEVER = (
    "local_of_a_check",
    "expect_close",
    "def test_",
    "HINT-TWO",
    "HINT-THREE",
    "HIDDEN-FINDING",
    "HIDDEN-OWN",
    "HIDDEN-HINT",
    "NOTED-OF",
    "NOTED-IN-HIDING",
    "8765",
    "4321",
    "5432",
    "6543",
    "17531",
    "8642",
    "WARNED-BY-A-CHECK",
)
NEVER_IN_AN_EXAM = (
    "HINT-ONE",
    "VISIBLE-FINDING",
    "NOTED-VISIBLY",
    "TOLD-IN-HIDING",
    "Kept back",
    "test_hidden",
    "expected",
    "yours",
    "246.5",
    "247.5",
)


NAMES = (
    "softmax",
    "create_causal_mask",
    "apply_mask",
    "masked_attention_weights",
    "split_heads",
    "merge_heads",
)


@pytest.fixture
def tiny(tmp_path):
    """Run pytest on a submission to a course of one exercise, whose every text is marked."""

    def run(policy: str, submission: str | bytes, *options: str) -> str:
        write_course(
            tmp_path,
            {"doubling": {"points": 6, "needs": "numpy"}},
            checks={"doubling": CHECKS},
            hints=policy,
        )
        data = submission.encode() if isinstance(submission, str) else submission
        (tmp_path / "doubling.py").write_bytes(data)
        return output_of("doubling.py", *options, folder=tmp_path)

    return run


def output_of(*args: str, folder: Path) -> str:
    """All that pytest prints, and what it writes."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *args],
        cwd=folder,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=120,
        env={**os.environ, "COLUMNS": "200"},
    )
    written = folder / "out.xml"
    return done.stdout + done.stderr + (written.read_text() if written.exists() else "")


def shown(words, output):
    """Return the words in the output; a number only if it is no part of a time or a process id."""
    return [
        word
        for word in words
        if word in output and (not word.isdigit() or re.search(rf"(?<![\d.]){word}(?!\d)", output))
    ]


def some(name):
    return () if name == "locals, and junit" else pytest.mark.thorough


@pytest.mark.parametrize(
    "options", [pytest.param(given, id=name, marks=some(name)) for name, given in OPTIONS.items()]
)
@pytest.mark.parametrize("policy", POLICIES)
def test_no_option_shows_more_than_the_policy(tiny, policy, options):
    output = tiny(policy, WRONG, *options)
    assert "INTERNALERROR" not in output
    assert not shown(NEVER, output)
    if policy == "exam":
        assert not [word for word in NEVER_IN_AN_EXAM if word in output]


@pytest.mark.thorough
@pytest.mark.parametrize("policy", POLICIES)
def test_what_a_submission_says_of_hidden_inputs_is_not_shown(tiny, policy):
    """An exception repeats the inputs; so does what is printed to a captured stream."""
    output = tiny(policy, RAISING, "-rA", "-l", "--junitxml=out.xml")
    assert not shown(("8765", "4321", "5432", "6543"), output)
    assert ("got" in output) == (policy != "exam")  # the visible checks' are


def test_a_failure_is_told_as_in_the_terminal(tiny):
    for policy in ("practice", "homework"):
        output = tiny(policy, WRONG)
        failures = output.split("FAILURES")[1].split("Doubling: doubling.py")[0]
        assert "VISIBLE-FINDING" in failures and "expected" in failures
        assert "Hint: HINT-ONE" in failures
        assert "TOLD-IN-HIDING" in failures
        assert "test_hidden[1]" in failures and "test_hidden[2]" in failures


def test_an_exam_runs_no_check_that_it_hides(tiny):
    output = tiny("exam", WRONG, "-rA")
    assert "1 failed, 1 passed, 1 skipped, 4 deselected" in output
    assert "This run leaves out the checks that an exam hides." in output
    assert "7 deselected" in tiny("exam", WRONG, "-k", "hidden")


@pytest.mark.parametrize("option", ["--pdb", "--trace", "--debug"])
@pytest.mark.parametrize("policy", [pytest.param("homework", marks=pytest.mark.thorough), "exam"])
def test_a_debugger_is_for_practice(tiny, policy, option):
    output = tiny(policy, WRONG, option)
    assert f"ERROR: {option} would show the answers" in output
    assert "Traceback" not in output and "VISIBLE-FINDING" not in output


@pytest.mark.thorough
def test_a_debugger_under_practice(tiny):
    assert "local_of_a_check" in tiny("practice", WRONG, "--pdb", "-x")


def test_a_file_that_cannot_be_read_is_said_in_one_sentence(tiny):
    output = tiny("exam", b"\xff\xfe\x00")
    assert "def submission" not in output and "Traceback" not in output


@pytest.mark.thorough
@pytest.mark.parametrize("options", [["-l", "-rA", "-vv", "--tb=long"]])
@pytest.mark.parametrize("exercise", ["causal_mask", "softmax", "multi_head_reshape"])
@pytest.mark.parametrize("policy", ["homework", "exam"])
def test_the_courses_own_exercises(tmp_path, root, exercise, policy, options):
    """A wrong answer to each function; the checks' own lines and later hints are in no output."""
    course = (root / "course.yml").read_text().replace("hints: practice", f"hints: {policy}")
    (tmp_path / "course.yml").write_text(course)
    for name in ("reference", "autograder"):
        (tmp_path / name).symlink_to(root / name)
    wrong = "".join(f"def {name}(x, *more): return x\n" for name in NAMES)
    (tmp_path / f"{exercise}.py").write_text(wrong)
    output = output_of(f"{exercise}.py", *options, folder=tmp_path)
    assert "failed" in output and "INTERNALERROR" not in output
    checks = load_course(root / "course.yml").checks_file(exercise).read_text()
    lines = {line.strip() for line in checks.splitlines() if "(" in line and len(line.strip()) > 20}
    assert not [line for line in lines if line in output]
    if policy == "exam":
        assert "expected" not in output and "Hint" not in output and "test_other" not in output
