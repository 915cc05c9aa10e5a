"""What one check leaves behind helps no other, and what is hidden is never said."""

import pytest

from autograder.checks.proxy import Submission
from autograder.report.redaction import exercise_for_student
from autograder.sandbox.process import WorkerProcess
from autograder.sandbox.session import WorkerSession
from tests.conftest import ENDLESS
from tests.courses import write_course
from tests.sandbox.processes import has_ended

FACES = ("practice", "homework", "exam")


def test_a_fresh_submission_has_only_been_loaded(submit):
    work = submit("seen = []\ndef count(x):\n    seen.append(x)\n    return len(seen)\n")
    assert [work.count(1), work.count(2)] == [1, 2]
    assert work.fresh().count(1) == 1
    assert work.count(1) == 1  # it had to start again: one process at a time


def test_a_submission_has_one_process_at_a_time(submit):
    work = submit("import os\ndef me(): return os.getpid()\n")
    first = work.me()
    other = work.fresh()
    assert other.me() != first
    assert work.me() not in {first, other.me()}


def test_later_processes_get_the_code_that_the_first_one_compiled(submit, monkeypatch):
    sent = []
    exchange = WorkerProcess.exchange

    def noting(process, request, *more):
        sent.append(request.code if request.operation == "load" else None)
        return exchange(process, request, *more)

    monkeypatch.setattr(WorkerProcess, "exchange", noting)
    work = submit("import numpy as np\ndef f(x): return np.ones(x)\n")
    assert [work.f(3).tolist(), work.fresh().f(3).tolist()] == [[1, 1, 1]] * 2
    assert sent[0] == b""
    assert b"numpy" in sent[2]


def test_the_budget_is_one_for_all_processes(submit):
    from autograder.sandbox.problems import TimedOut

    work = submit("def f():\n    while True: pass\n", ENDLESS)
    for place in (work, work.fresh()):
        with pytest.raises(TimedOut, match="did not finish"):
            place.f()
    with pytest.raises(TimedOut, match="2 times"):
        work.fresh().f()


SAYS_ALL = """
import sys
import numpy as np

def tell(*values):
    for value in values:
        print("SAID", np.asarray(value).shape, np.asarray(value).ravel()[:3], file=sys.stderr)
"""
TALKERS = {
    "softmax": """
def softmax(x, axis=-1):
    tell(x)
    x = np.asarray(x, float)
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)
""",
    "qkv_projection": """
def project_qkv(X, W_Q, W_K, W_V):
    tell(X, W_Q)
    return X @ W_Q, X @ W_K, X @ W_V
""",
    "multi_head_reshape": """
def split_heads(x, num_heads):
    tell(x)
    B, L, E = x.shape
    return x.reshape(B, L, num_heads, E // num_heads).transpose(0, 2, 1, 3)

def merge_heads(x):
    tell(x)
    B, H, L, d = x.shape
    return x.transpose(0, 2, 1, 3).reshape(B, L, H * d)
""",
}
HIDDEN_SHAPES = {
    "softmax": "(512,)",
    "qkv_projection": "(3, 1, 7)",
    "multi_head_reshape": "(5, 7, 24)",
}


@pytest.mark.parametrize("exercise", TALKERS)
def test_what_is_printed_in_a_hidden_check_is_not_kept(grade_text, exercise):
    report = grade_text(exercise, SAYS_ALL + TALKERS[exercise])
    assert "SAID" in report.printed
    assert HIDDEN_SHAPES[exercise] not in report.printed


def test_what_is_printed_beside_the_course_s_own_code_is_not_kept(submit):
    work = submit("def f():\n    print('here')\n    return 1\n")
    work.f()
    work.define("kit", "def g(): return 2\n")
    work.f()
    assert work._session.workers.printed == "here\n"


MEMORY = """
import json
seen = {}

def softmax(x, axis=-1):
    import numpy as np
    x = np.asarray(x, float)
    seen[len(seen)] = x.shape
    raise ValueError(json.dumps(list(map(str, seen.values()))))
"""


def test_what_the_code_raises_in_a_hidden_check_is_not_told_later(grade_text):
    """It remembers every input and tells of all of them in each later call: the probes' too."""
    text = SAYS_ALL + TALKERS["softmax"].replace(
        "    tell(x)\n",
        "    seen.append(np.shape(x))\n"
        "    if np.shape(x) == (3, 2) and axis == 0: raise ValueError(str(seen))\n",
    ).replace("def softmax", "seen = []\ndef softmax", 1)
    report = grade_text("softmax", text)
    for policy in FACES:
        assert "512" not in str(exercise_for_student(report, policy, 3).checks)


STATUSES = {
    "default_rng is None": "np.random.default_rng = None\n",
    "default_rng raises": "np.random.default_rng = lambda *_: 1 / 0\n",
    "default_rng leaves": "import os\nnp.random.default_rng = lambda *_: os._exit(0)\n",
    "the module is gone": "import sys\nsys.modules['numpy.random'] = None\n",
    "no getattr": "import builtins\nbuiltins.getattr = None\n",
}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("trick", STATUSES)
def test_no_submission_can_make_the_grader_look_broken(grade_file, grade_source, root, trick):
    from autograder.submission.source import Source
    from autograder.worker.messages import Unit

    solution = (root / "solutions" / "scaling_experiment.py").read_text()
    text = f"{solution}\nimport numpy as np\n{STATUSES[trick]}"
    label = "scaling_experiment.py"
    report = grade_source(Source("scaling_experiment", label, (Unit(label, text),)))
    assert report.status != "needs a person"
    assert all(check.outcome != "error" for check in report.checks)


ODD = {
    "complex": "1j",
    "text": "'0.5'",
    "a huge whole number": "10 ** 400",
    "an array of arrays": "np.array([[1, 2], [3, 4]])",
    "a dict": "{1: 2}",
    "nested": "[[[[]]]]",
    "nothing": "None",
}


@pytest.mark.one_in(6)
@pytest.mark.parametrize("value", ODD)
@pytest.mark.parametrize("exercise", ["attention_patterns", "scaling_experiment", "causal_mask"])
def test_values_of_odd_types_are_the_submission_s_own_affair(grade_text, exercise, value):
    names = {
        "attention_patterns": "analyze_pattern strongest_links",
        "scaling_experiment": "attention_entropy softmax_gradient_norm measure_scaling "
        "plot_scaling",
        "causal_mask": "create_causal_mask apply_mask masked_attention_weights count_visible",
    }[exercise].split()
    functions = "".join(f"def {name}(*args, **kwargs): return {ODD[value]}\n" for name in names)
    odd = f"import numpy as np\n{functions}CONCLUSION = {{'growth_exponent': {ODD[value]}, "
    odd += f"'steady': {ODD[value]}, 'gradient': {ODD[value]}}}\n"
    report = grade_text(exercise, odd)
    assert report.points == 0
    assert report.status == "graded"


def test_a_check_that_is_broken_itself_still_needs_a_person(course, tmp_path):
    """The solution is the witness: what stops for it as well is the check's own fault."""
    from autograder.grading.judge import Judge
    from autograder.submission.source import Source
    from autograder.worker.messages import Unit

    checks = (
        "import pytest\n"
        "@pytest.mark.check('sound')\n"
        "def test_sound(submission):\n    assert submission.f()['a'] == 1, 'no'\n"
        "@pytest.mark.check('broken')\n"
        "def test_broken(submission):\n    submission.f()['b']\n"
    )
    solution = "def f(): return {'a': 1}\n"
    small = write_course(tmp_path, {"one": 2}, checks={"one": checks}, solutions={"one": solution})
    source = Source("one", "one.py", (Unit("one.py", "def f(): return [1]\n"),))
    with Judge(small, small.content.exercises) as judge:
        outcomes = {r.title: r.outcome for r in judge.run(source).report.checks}
    assert outcomes == {"sound": "failed", "broken": "error"}


def test_a_client_that_is_closed_leaves_no_process(submit):
    work = submit("import os\ndef me(): return os.getpid()\n")
    fresh: Submission = work.fresh()
    ids = work.me(), fresh.me()
    session: WorkerSession = work._session
    assert session.workers.running
    session.close()
    assert not session.workers.running
    assert all(has_ended(process) for process in ids)


def test_a_process_that_counts_is_counted_from_its_load(submit):
    work = submit("seen = []\ndef count(x):\n    seen.append(x)\n    return len(seen)\n")
    assert [work.own().count(1), work.own().count(1)] == [1, 1]
    own = work.own()
    assert [own.count(1), own.count(1), own.count(2)] == [1, 2, 3]
