"""Training: right loops are right for every seed, faulty ones for none, and the lesson is true."""

import re
from types import SimpleNamespace

import numpy as np
import pytest

from autograder.authoring.course_submissions import solution_module
from autograder.grading.judge import RunOptions
from autograder.sandbox.problems import Crashed, Raised, TimedOut
from autograder.submission.source import Source, read_source
from autograder.worker.messages import Unit
from reference.checks.trained_models import form_of
from tests.conftest import ROOT

pytestmark = pytest.mark.one_in(12)

NAME = "train_and_generate"
FAULTS = {
    "gradients are never cleared": ("        optimizer.zero_grad()\n", ""),
    "another learning rate": ("lr=lr)", "lr=1.01 * lr)"),
    "the target is not shifted": ("loss = next_token_loss(model(tokens), tokens)",
                                  "loss = nn.functional.cross_entropy("
                                  "model(tokens).flatten(0, 1), tokens.flatten())"),
}  # fmt: skip


@pytest.fixture
def outcomes(judge):
    """What becomes of the losses of a source, for seed after seed."""

    def grade(source, seeds):
        for seed in range(seeds):
            wanted = RunOptions(frozenset({"test_losses"}), "a failure", seed)
            yield judge.run(source, wanted).report.checks[0].outcome

    return grade


@pytest.mark.parametrize("seeds", [1, pytest.param(200, marks=pytest.mark.thorough)])
def test_a_right_loop_is_right_for_every_seed(outcomes, seeds):
    path = ROOT / "examples" / "right" / NAME / "preallocated.py"
    assert set(outcomes(read_source(path, NAME), seeds)) == {"passed"}


@pytest.mark.thorough
@pytest.mark.parametrize("seeds", [1, 20])
@pytest.mark.parametrize("fault", FAULTS)
def test_a_faulty_loop_is_wrong_for_every_seed(outcomes, fault, seeds):
    old, new = FAULTS[fault]
    text = (ROOT / "solutions" / f"{NAME}.py").read_text()
    assert old in text
    source = Source(NAME, "faulty.py", (Unit("faulty.py", text.replace(old, new)),))
    assert set(outcomes(source, seeds)) == {"failed"}


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("        optimizer.zero_grad()\n        loss.backward()\n        optimizer.step()\n",
         "        loss.backward()\n        optimizer.step()\n        optimizer.zero_grad()\n",
         "gradients before the call"),
        ("    return losses\n", "    batches.reverse()\n    return losses\n",
         "changed the argument batches"),
        ("    tokens = prompt\n",
         "    tokens, generator = prompt, generator or torch.Generator().manual_seed(0)\n",
         "Without a generator, two calls in a row"),
    ],
)  # fmt: skip
def test_what_a_call_finds_and_leaves_behind_is_graded(grade_text, old, new, says):
    text = (ROOT / "solutions" / f"{NAME}.py").read_text()
    assert old in text
    checks = grade_text(NAME, text.replace(old, new)).checks
    assert says in " ".join(check.finding for check in checks if check.outcome == "failed")


@pytest.mark.thorough
def test_the_experiment_shows_what_the_lesson_says(course):
    """Attention to all words gets every verb; one word back, only those within its reach."""
    lesson = solution_module(course, course.exercise(NAME))
    far = lesson.run_experiment(None)[2]
    near = lesson.run_experiment(1)[2]
    assert min(far) >= 0.99
    assert min(near[:2]) >= 0.99
    assert min(near[2:]) >= 0.35
    assert max(near[2:]) <= 0.65
    assert np.mean(near[2:]) == pytest.approx(0.5, abs=0.08)
    text = (ROOT / "solutions" / f"{NAME}.py").read_text(encoding="utf-8")
    rows = re.findall(r"^# \| attends to .+? \|(.+) % \|$", text, re.MULTILINE)
    for row, shares in zip(rows, (far, near), strict=True):
        said = [float(each) / 100 for each in row.split(" % |")]
        assert shares == pytest.approx(said, abs=0.06)  # machines round differently


@pytest.mark.parametrize(
    ("problem", "is_over"),
    [
        (TimedOut("timed_out", "generate", "5"), True),
        (Crashed("crashed", "generate", "it ended"), True),
        (Raised("raised", "generate", "", type="ValueError"), False),
    ],
)
def test_a_process_that_ended_is_asked_nothing_more(problem, is_over):
    """The models that it held are gone with it, and a report would tell of those."""

    def generate(*_):
        raise problem

    submission = SimpleNamespace(aside=lambda: SimpleNamespace(generate=generate))
    kit = SimpleNamespace(MeanModel=SimpleNamespace(kept=lambda *_: None))
    if is_over:
        with pytest.raises(type(problem)):
            form_of(submission, kit)
    else:
        assert form_of(submission, kit) == "plain"
