"""Torch modules of a student's: built in the worker, given weights, called and differentiated."""

import numpy as np
import pytest

from autograder.checks.expect import Mismatch
from autograder.checks.module_weights import ParameterFit, ParameterNames
from autograder.checks.proxy import Submission
from autograder.checks.torch_modules import (
    ModuleRun,
    expect_gradients,
    expect_parts,
    expect_stateless,
    expect_unchanged_tensors,
    forward_pass,
    reference_pass,
)
from autograder.course.course_file import Limits
from autograder.sandbox.problems import Crashed, Raised, StudentProblem
from autograder.sandbox.session import WorkerSession
from autograder.sandbox.workers import Workers
from autograder.submission.source import Source
from autograder.worker.messages import Passed, Unit

HEAD = "import torch\nfrom torch import nn\n"
LINEAR = """
class Net(nn.Module):
    def __init__(self, n=2):
        super().__init__()
        self.layer = nn.Linear(n, 3, bias=False)
    def forward(self, x):
        return {forward}
"""
WORDS = ParameterNames(lambda _: "", lambda name: name.endswith("bias"), {}, lambda _: None)
W = np.arange(6, dtype=np.float32).reshape(3, 2)
X = np.array([[1.0, 2.0]], np.float32)


@pytest.fixture
def torch_submission(children):
    clients = []

    def make(text):
        source = Source("net", "net.py", (Unit("net.py", HEAD + text),))
        clients.append(WorkerSession(Workers(source, "torch", Limits(), children)))
        return Submission(clients[-1])

    yield make
    for client in clients:
        client.close()


def run(submission, **details):
    return forward_pass(submission, "Net", (2,), (X,), {"layer.weight": W}, WORDS, **details)


def right_net():
    import torch

    class Net(torch.nn.Module):
        def __init__(self, n):
            super().__init__()
            self.layer = torch.nn.Linear(n, 3, bias=False)

        def forward(self, x):
            return self.layer(x)

    return Net


def test_weights_are_loaded_by_name_and_gradients_come_back(torch_submission):
    net = torch_submission(LINEAR.format(forward="self.layer(x)"))
    toward = (np.array([[1.0, 0.0, 2.0]], np.float32),)
    passed = run(net, toward=toward)
    np.testing.assert_allclose(passed.value, X @ W.T)
    np.testing.assert_allclose(passed.gradients["input 0"], toward[0] @ W)
    np.testing.assert_allclose(passed.gradients["layer.weight"], toward[0].T @ X)
    right = reference_pass(right_net(), (2,), (X,), {"layer.weight": W}, toward)
    expect_gradients(passed, right, {"input 0": "x"})


def test_a_parameter_that_is_missing_is_named_with_those_that_there_are(torch_submission):
    text = LINEAR.format(forward="self.other(x)").replace("self.layer =", "self.other =")
    with pytest.raises(Mismatch, match=r"no parameter named layer.weight.*other.weight \(3, 2\)"):
        expect_parts(run(torch_submission(text)), "Net", ["layer"])


def test_a_parameter_of_another_name_is_found_by_its_shape(torch_submission):
    text = LINEAR.format(forward="self.other(x)").replace("self.layer =", "self.other =")
    passed = run(torch_submission(text), toward=(np.ones((1, 3), np.float32),))
    np.testing.assert_allclose(passed.value, X @ W.T)
    np.testing.assert_allclose(passed.gradients["layer.weight"], np.ones((3, 1)) @ X)


def test_a_bias_too_many_is_0_and_said(torch_submission):
    text = LINEAR.format(forward="self.layer(x)").replace(", bias=False", "")
    passed = run(torch_submission(text))
    np.testing.assert_allclose(passed.value, X @ W.T)
    with pytest.raises(Mismatch, match="^layer should have no bias"):
        expect_parts(passed, "Net", ["layer"], without_bias=["layer"])


@pytest.mark.parametrize(
    "change",
    [
        ("self.layer = nn.Linear(n, 3, bias=False)", "self.layer = nn.LazyLinear(3, bias=False)"),
        ("bias=False)", "bias=False)\n        self.again = self.layer"),
        ("self.layer =", "self.again = self.layer ="),
    ],
)
def test_lazy_layers_and_second_names_have_their_gradients(torch_submission, change):
    toward = (np.ones((1, 3), np.float32),)
    passed = run(
        torch_submission(LINEAR.format(forward="self.layer(x)").replace(*change)), toward=toward
    )
    right = reference_pass(right_net(), (2,), (X,), {"layer.weight": W}, toward)
    expect_gradients(passed, right, {"input 0": "x"})


@pytest.mark.parametrize("forward", ["self.layer(self.first(x))", "self.layer(x) + self.count(x)"])
def test_what_is_kept_of_an_earlier_call_is_seen(torch_submission, forward):
    text = LINEAR.format(forward=forward) + (
        "    def first(self, x):\n"
        "        self.kept = getattr(self, 'kept', x)\n"
        "        return self.kept\n"
        "    calls = 0\n"
        "    def count(self, x):\n"
        "        self.calls += 1\n"
        "        return self.calls\n"
    )
    submission = torch_submission(text)
    with pytest.raises(Mismatch, match="keeps something of the earlier call"):
        expect_stateless(lambda **more: run(submission, **more).value, ((2 * X,),), "the results")


def test_a_parameter_of_another_shape_is_named(torch_submission):
    text = LINEAR.format(forward="self.layer(x)").replace("nn.Linear(n, 3,", "nn.Linear(3, n,")
    with pytest.raises(Mismatch, match=r"has the shape \(2, 3\); expected \(3, 2\)"):
        run(torch_submission(text))


@pytest.mark.parametrize(
    "forward", ["self.layer(x).detach()", "torch.tensor(self.layer(x).tolist())"]
)
def test_a_gradient_that_is_cut_is_said(torch_submission, forward):
    toward = (np.ones((1, 3), np.float32),)
    passed = run(torch_submission(LINEAR.format(forward=forward)), toward=toward)
    right = reference_pass(right_net(), (2,), (X,), {"layer.weight": W}, toward)
    with pytest.raises(Mismatch, match="No gradient reaches x"):
        expect_gradients(passed, right, {"input 0": "x"})


def test_an_input_that_is_changed_in_place_is_said(torch_submission):
    passed = run(torch_submission(LINEAR.format(forward="self.layer(x.mul_(2))")))
    with pytest.raises(Mismatch, match="The call changed x"):
        expect_unchanged_tensors(passed, (X,), ("x",))


def test_what_is_no_module_is_said(torch_submission):
    submission = torch_submission("class Net:\n    def __init__(self, n):\n        pass\n")
    with pytest.raises(Raised, match="not a torch.nn.Module"):
        run(submission)


def test_a_forgotten_super_is_an_error_of_the_students(torch_submission):
    text = LINEAR.format(forward="self.layer(x)").replace("super().__init__()", "pass")
    with pytest.raises(Raised, match="cannot assign module before"):
        run(torch_submission(text))


def test_a_pass_cannot_be_forged_into_another_kind_of_answer(torch_submission):
    text = LINEAR.format(forward="self.layer(x)") + (
        "import sys\n"
        "for module in list(sys.modules.values()):\n"
        "    if getattr(module, 'run_module', None):\n"
        "        module.run_module = lambda *a: type('P', (), dict(value=1, after=2, gradients=3))()\n"
    )
    with pytest.raises(StudentProblem):
        run(torch_submission(text))


def test_what_the_course_defines_runs_beside_the_submission(torch_submission):
    submission = torch_submission("def double(x):\n    return 2 * x\n")
    kit = submission.define("kit", "def twice(f, x):\n    return f(f(x))\n")
    assert kit.twice(submission.kept_value("double"), 3) == 12
    assert submission.about() == ("double",)
    with pytest.raises(Crashed, match="could not be made in"):
        submission.define("kit", "1 / 0")


HIDES = {
    "state_dict": """
    def state_dict(self, *args, **kwargs):
        return {k: v for k, v in super().state_dict(*args, **kwargs).items() if "bias" not in k}
""",
    "all that lists parameters": """
    def state_dict(self, *args, **kwargs):
        return {"layer.weight": self.layer.weight.data}
    def named_parameters(self, *args, **kwargs):
        return iter([("layer.weight", self.layer.weight)])
    def parameters(self, *args, **kwargs):
        return iter([self.layer.weight])
    def named_modules(self, *args, **kwargs):
        return iter([("", self)])
    def named_buffers(self, *args, **kwargs):
        return iter([("layer.bias", self.layer.bias)])
    def named_children(self):
        return iter([])
""",
    "a hook": """
    def __setattr__(self, name, value):
        super().__setattr__(name, value)
        if name == "layer":
            self._register_state_dict_hook(lambda _, state, *rest: state.pop("layer.bias", None))
""",
}


@pytest.mark.parametrize("way", HIDES)
def test_a_bias_cannot_be_hidden_by_what_a_class_says_of_itself(torch_submission, way):
    text = LINEAR.format(forward="self.layer(x)").replace(", bias=False", "") + HIDES[way]
    passed = run(torch_submission(text))
    np.testing.assert_allclose(passed.value, X @ W.T)
    with pytest.raises(Mismatch, match="^layer should have no bias"):
        expect_parts(passed, "Net", ["layer"], without_bias=["layer"])


def test_all_parts_with_a_bias_are_named(torch_submission):
    text = LINEAR.format(forward="self.more(self.layer(x))").replace(", bias=False", "")
    more = "        self.more = nn.Linear(3, 3)\n    def forward"
    passed = run(torch_submission(text.replace("    def forward", more)))
    with pytest.raises(Mismatch, match="^layer and more should have no bias"):
        expect_parts(passed, "Net", ["layer"], without_bias=["layer", "more"])


def test_a_class_inside_cannot_hide_its_bias_either(torch_submission):
    text = LINEAR.format(forward="self.layer(x)").replace(
        "nn.Linear(n, 3, bias=False)", "Layer(n, 3)"
    )
    inner = "class Layer(nn.Linear):\n" + HIDES["state_dict"]
    with pytest.raises(Mismatch, match="^layer should have no bias"):
        expect_parts(run(torch_submission(inner + text)), "Net", ["layer"], without_bias=["layer"])


def test_the_mode_is_set_whatever_the_class_makes_of_train(torch_submission):
    text = LINEAR.format(forward="self.layer(x) * (2 if self.training else 1)") + (
        "    def train(self, mode=True):\n        return self\n"
        "    def eval(self):\n        return self\n"
    )
    submission = torch_submission(text)
    np.testing.assert_allclose(run(submission).value, X @ W.T)
    np.testing.assert_allclose(run(submission, training=True).value, 2 * X @ W.T)


@pytest.mark.parametrize("size", ["2 ** 27", "2 ** 24, 4"])
def test_sizes_that_cost_nothing_to_claim_are_refused(torch_submission, size):
    text = LINEAR.format(forward="self.layer(x)").replace(
        "super().__init__()",
        f"super().__init__(); self.bias = nn.Parameter(torch.zeros(1).expand({size}))",
    )
    with pytest.raises(Mismatch, match="Net has far more parameters than the task's: bias"):
        run(torch_submission(text))


def slope_of(function):
    """Σ function(x): what difference quotients are taken of."""
    return lambda key, change: float(function(np.ones((2, 3)) + change).sum())


@pytest.mark.parametrize("size", [0.0, 1e-9, 1e-5, 1e-4])
def test_a_gradient_that_is_hardly_there_is_none(size):
    own = np.full((2, 3), size)
    passed = ModuleRun(None, {"input 0": own}, (), {}, ParameterFit({}, {}), {})
    right = Passed(gradients={"input 0": np.arange(6.0).reshape(2, 3)})
    with pytest.raises(Mismatch):
        expect_gradients(passed, right, {}, slope_of(lambda x: size * x))


@pytest.mark.parametrize("depends", [True, False])
def test_own_gradients_follow_the_inputs_where_the_right_ones_do(depends):
    own = np.full((2, 3), 2.0)
    passed = ModuleRun(None, {"input 0": own}, (), {}, ParameterFit({}, {}), {})
    there = ModuleRun(
        None, {"input 0": own * (1.5 if depends else 1)}, (), {}, ParameterFit({}, {}), {}
    )
    right, right_there = (Passed(gradients={"input 0": n * np.ones((2, 3))}) for n in (3, 5))
    args = (passed, right, {}, slope_of(lambda x: 2 * x), lambda: (there, right_there))
    if depends:
        expect_gradients(*args)
    else:
        with pytest.raises(Mismatch):
            expect_gradients(*args)
