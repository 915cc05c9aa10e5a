"""A student kit on files beside the student's, and on torch classes in other modules."""

import subprocess
import sys

import pytest
from click.testing import CliRunner

from autograder.authoring.kit_files import ReleaseOptions
from autograder.authoring.recording import RecordingOptions
from autograder.authoring.release import bundle, shares_of
from autograder.cli import app
from autograder.course.course_file import load_course
from autograder.course.errors import UserError
from autograder.course.files import write_files
from autograder.grading.judge import Judge
from autograder.submission.source import from_text
from tests.courses import write_course

BESIDE = """
import numpy as np
import pytest
from autograder.author import expect_close, expect_follows

X = np.array([1.0, 2.0, 5.0])


@pytest.mark.check("The double", points=1)
def test_double(submission, reference):
    expect_close(submission.double(X), reference.double(X))
"""
TOP = """
import numpy as np
import pytest
from autograder.author import expect_follows

X = np.array([1.0, 2.0, 5.0])


@pytest.mark.check("One more than the double", points=1)
def test_top(submission, reference, note):
    expect_follows(
        submission.top(X),
        reference.top(X),
        lambda steps: reference.more(steps.ask(lambda own, x: own.double(x), X)),
        "the result",
        note,
        "double",
        submission,
    )
"""
ANSWERS = """
def double(x):
    return 2 * x


def more(x):
    return x + 1


def top(x):
    return more(double(x))
"""
DOUBLE = "def double(x):\n    return 2 * x\n"
USES = "from double import double\n\n\ndef top(x):\n    return double(x) + 1\n"


def stub(name):
    return f"def {name}(x):\n    # YOUR CODE HERE\n    raise NotImplementedError()\n"


@pytest.fixture
def released(tmp_path, monkeypatch):
    """A function that releases a small course into a folder, and goes there."""
    monkeypatch.setattr("autograder.authoring.release.build_wheel", lambda: ("wheel.txt", b""))

    def released(*args, **settings):
        course = write_course(tmp_path / "course", *args, **settings)
        options = ReleaseOptions(tuple(course.exercises.values()), "practice", seeds=1)
        write_files(tmp_path / "kit", bundle(course, options))
        monkeypatch.chdir(tmp_path / "kit")
        return tmp_path / "kit/exercises"

    return released


@pytest.mark.thorough
def test_a_wrong_mask_is_no_reason_not_to_judge_what_follows_it(course, tmp_path, monkeypatch):
    monkeypatch.setattr("autograder.authoring.release.build_wheel", lambda: ("wheel.txt", b""))
    monkeypatch.setattr("autograder.authoring.release.leaks", lambda *_: [])  # takes seconds
    exercise = course.exercise("causal_mask")
    options = ReleaseOptions((exercise,), "practice", seeds=1)
    write_files(tmp_path, bundle(course, options))
    right = (course.root / "solutions/causal_mask.py").read_text(encoding="utf-8")
    wrong = right.replace("np.where(mask, scores, -np.inf)", "np.where(mask, scores, -10.0)")
    by_itself = wrong.replace("= apply_mask(scores, mask)", "= np.where(mask, scores, -np.inf)")
    assert len({right, wrong, by_itself}) == 3
    with Judge(load_course(tmp_path / "course.yml"), [exercise]) as judge:
        for text, outcome in ((wrong, "failed"), (by_itself, "passed")):
            source = from_text(text, "causal_mask", "causal_mask.py")
            last = judge.run(source).report.checks[-1]
            assert last.title.startswith("Long sequences, large scores")
            assert last.outcome == outcome


def check(name):
    return CliRunner().invoke(app, ["check", name], prog_name="autograder")


@pytest.mark.thorough
def test_a_wrong_file_beside_a_right_one_is_named_in_a_kit(released):
    work = released(
        {"double": 8, "top": 3},
        checks={"double": BESIDE, "top": TOP},
        answers=ANSWERS,
        solutions={"double": DOUBLE, "top": USES},
        stubs={"double": stub("double"), "top": stub("top")},
    )
    (work / "top.py").write_text(USES)
    (work / "double.py").write_text(DOUBLE)
    assert check("top").exit_code == 0
    (work / "double.py").write_text("def double(x):\n    return 3 * x\n")
    done = check("top")
    assert done.exit_code == 1 and "✓" not in done.output
    assert " ".join(done.output.split()).count("Fix double.py first") == 1
    assert done.output.startswith(
        "Graded when handed in: the right result depends on your double.py"
    )
    assert "○   0/3  One more than the double" in done.output


WORDS = """
from autograder.author import ModuleCaller, ParameterNames

WORDS = ParameterNames(lambda name: "", lambda name: False, {}, lambda name: None)
"""
VALUES = """
import numpy as np
import pytest
from autograder.author import ParameterNames, expect_close, forward_pass, reference_pass
{imported}

WORDS = ParameterNames(lambda name: "", lambda name: False, {{}}, lambda name: None)


@pytest.mark.check("The values", points=1)
def test_values(submission, rng):
    x = (rng.normal(size=(3, 2)).astype(np.float32),)
    state = {{"W.weight": rng.normal(size=(2, 2)).astype(np.float32)}}
    run = forward_pass(submission, "Scaled", (3.0,), x, state, WORDS)
    right = reference_pass({build}, (3.0,), x, run.state)
    expect_close(run.value, right.value, "the result", condition=20.0)
"""


SCALED = """
from torch import nn


class Scaled(nn.Module):
    def __init__(self, factor):
        super().__init__()
        self.W = nn.Linear(2, 2, bias=False)
        self.factor = factor

    def forward(self, x):
        ### BEGIN SOLUTION
        return self.W(x) * self.factor
        ### END SOLUTION
"""


def torch_course(folder, imported, build, mistakes=""):
    """A course whose torch class is in a module `nets` of its reference."""
    pytest.importorskip("torch")
    course = write_course(
        folder,
        {"scaled": {"points": 2, "needs": "torch"}},
        checks={"scaled": ""},
        solutions={"scaled": SCALED},
        **({"helpers": ["words"]} if mistakes else {}),
    )
    reference, checks = folder / course.content.reference, folder / course.content.checks
    (reference / "nets.py").write_text(SCALED)
    text = VALUES.format(imported=imported, build=build)
    (checks / "test_scaled.py").write_text(text.replace("REFERENCE", reference.name))
    if mistakes:
        (reference / "misconceptions").mkdir()
        (reference / "misconceptions/__init__.py").touch()
        text = mistakes.replace("REFERENCE", reference.name)
        (reference / "misconceptions/scaled.py").write_text(text)
        (reference / "words.py").write_text(WORDS)
    return load_course(folder / "course.yml")


def release(course, say=lambda _: None):
    options = ReleaseOptions(tuple(course.exercises.values()), "practice", seeds=1)
    how = RecordingOptions(say=say)
    return shares_of(course, bundle(course, options, how), options, how)


@pytest.mark.thorough
def test_a_torch_class_in_any_module_of_the_reference_is_judged(tmp_path):
    course = torch_course(tmp_path, "from REFERENCE.nets import Scaled", "Scaled")
    (found,) = release(course)
    assert (found.complete, found.right) == (1, 1)


@pytest.mark.thorough
def test_a_torch_class_by_its_module_is_not_judged_and_release_says_what_to_do(tmp_path):
    course = torch_course(tmp_path, "from REFERENCE import nets", "nets.Scaled")
    with pytest.raises(UserError, match="passes “The values”.* function .* by name"):
        release(course)


MISTAKES = """
from REFERENCE.words import WORDS
from autograder.author import Family, Mistakes, ModuleCaller, Probe, Recipe
import numpy as np

HINTS = ("A question.", "A property.", "A place.")
STEPS = {"product": lambda s: s.x @ s.W.T, "result": lambda s: s.product * s.factor}
WRONG = (
    Family("result", HINTS, {"not-scaled": ("No factor acts.", lambda s: s.product)}),
    Family("product", HINTS, {"not-turned": ("W has its axes swapped.", lambda s: s.x @ s.W)}),
)


class Asked(ModuleCaller):
    OWN


def calls(draw):
    rng = np.random.default_rng(draw)
    for factor in (2.0, 3.0, 5.0):
        yield Probe((factor, rng.normal(size=(3, 2)), rng.normal(size=(2, 2))))


MISTAKES = Mistakes(
    Recipe(
        "Scaled",
        lambda draw: list(calls(draw)),
        WRONG,
        steps=STEPS,
        parameters=("factor", "x", "W"),
        caller=Asked(("factor",), ("x",), {"W.weight": "W"}, WORDS),
    )
)
"""


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("own", "named"), [("pass", True), ("def ask(self, *asked): return super().ask(*asked)", False)]
)
def test_a_class_with_a_caller_of_its_own_has_no_names_and_release_says_why(tmp_path, own, named):
    """A caller that only changes what is simulated still asks as the engine does."""
    mistakes = MISTAKES.replace("OWN", own)
    course = torch_course(tmp_path, "from REFERENCE.nets import Scaled", "Scaled", mistakes)
    (found,) = release(course)
    assert (found.complete, found.right) == (1, 1)
    assert named or "names no mistake of Scaled" in found.reasons[0]
    assert named or "its caller Asked" in found.reasons[0]


OWN_TEST = """
import pytest
from autograder.author import Mismatch


@pytest.mark.check("The double", points=1)
def test_double(submission, reference):
    assert submission.double(2) == reference.double(2)


@pytest.mark.graded_when_handed_in
@pytest.mark.check("A test of the double", points=1)
def test_of_double(submission):
    assert submission.test_it(4)


@pytest.mark.graded_when_handed_in
@pytest.mark.check("A strict test of the double", points=1, needs=["test_of_double"])
def test_strict(submission):
    pass
"""
OWN = DOUBLE + "\n\ndef test_it(x):\n    return x == 4\n"


@pytest.mark.thorough
def test_a_function_that_only_the_full_course_calls_is_named_if_it_is_not_written(released):
    """Such an exercise was done."""
    folder = released(
        {"double": 3},
        checks={"double": OWN_TEST},
        solutions={"double": OWN},
        answers=ANSWERS,
        stubs={"double": stub("double") + "\n\n" + stub("test_it")},
    )
    (folder / "double.py").write_text(DOUBLE + "\n\n" + stub("test_it"))
    done = check("double")
    assert done.exit_code == 1
    assert done.output.startswith("Write this next: test_it, in line 7 of double.py.")
    assert done.output.count("–") == 2 and "○" not in done.output
    args = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "double.py"]
    ran = subprocess.run([sys.executable, *args], cwd=folder, capture_output=True, check=False)
    assert ran.returncode == 1
    (folder / "double.py").write_text(DOUBLE)
    done = check("double")
    assert done.exit_code == 1 and "○" not in done.output
    assert done.output.startswith("test_it is not defined in double.py.")
    (folder / "double.py").write_text(OWN)
    done = check("double")
    assert done.exit_code == 0 and done.output.count("○") == 2


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("written", "said"),
    [
        (
            "def test_it(x):\n    y = x == 4\n    raise NotImplementedError()\n",
            "test_it has code, but the `raise NotImplementedError()` in line 7 of double.py stops ",
        ),
        (
            "def test_it(x):\n    raise NotImplementedError()\n    return 4 == x\n",
            "test_it has code, but the `raise NotImplementedError()` in line 6 of double.py stops ",
        ),
        (
            "def test_it(x):\n    return x == 4\n\n\n" + stub("test_it"),
            "test_it is defined twice: the second definition in line 9 of double.py, without code, "
            "replaces the first in line 5 of double.py.",
        ),
    ],
)
def test_a_function_with_code_is_never_called_unwritten(released, written, said):
    """Beside "test_it has code", a report said "Not run: test_it is not written yet"."""
    released(
        {"double": 3},
        checks={"double": OWN_TEST},
        solutions={"double": OWN},
        answers=ANSWERS,
        stubs={"double": stub("double") + "\n\n" + stub("test_it")},
    ).joinpath("double.py").write_text(DOUBLE + "\n\n" + written)
    shown = " ".join(check("double").output.split())
    assert shown.startswith(said) and "not written yet" not in shown
