"""An exception as a student reads it: the line to change, and names only where they are right."""

import sys

import pytest

from autograder.diagnosis.errors import explain as meaning
from autograder.diagnosis.hints import failure_kind
from autograder.sandbox.problems import from_worker
from autograder.worker.failures import explain
from autograder.worker.loading import load
from autograder.worker.messages import Unit

MODULE = "import torch\nfrom torch import nn\nclass M(nn.Module):\n    def __init__(self):\n"
PROJECTING = f"{MODULE}        super().__init__()\n        self.W_k = nn.Linear(2, 2)\n"
BESIDE = {"softmax": "def softmax(x):\n    return x\n", "broken": "x = )\n"}
TENSORS = "torch's functions need tensors, and this line passes a NumPy array."


@pytest.fixture
def failed(monkeypatch):
    """What a student reads of `f()` in a file, what it means, and the kind of its hints."""

    def run(text):
        monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
        for name in ("get_ipython", "display"):
            monkeypatch.setattr(f"builtins.{name}", None, raising=False)
        for name in ("loaded_work", *BESIDE):
            monkeypatch.setitem(sys.modules, name, None)
            del sys.modules[name]
        module, _ = load("loaded_work", [Unit("w.py", text)], BESIDE, [])
        with pytest.raises(BaseException) as caught:
            module.f()
        labels = {"w.py", *(f"{name}.py" for name in BESIDE)}
        error = from_worker(explain(caught.value, labels), "f")
        return error.finding, meaning(error, {}), failure_kind(error.cause)

    return run


@pytest.mark.parametrize(
    ("head", "body", "said"),
    [
        (
            "from softmax import sotfmax",
            "sotfmax(1)",
            "f stopped with ImportError: cannot import name 'sotfmax' from 'softmax' (Did you "
            "mean: 'softmax'?) in line 1 of w.py.",
        ),
        (
            "from sofmax import softmax",
            "softmax(1)",
            "f stopped with ModuleNotFoundError: No module named 'sofmax' (Did you mean: "
            "'softmax'?) in line 1 of w.py.",
        ),
        (
            "import nunpy as np",
            "np.sqrt(2)",
            "f stopped with ModuleNotFoundError: No module named 'nunpy' (Did you mean: 'numpy'?) "
            "in line 1 of w.py.",
        ),
        (
            "from numpy import arrange",
            "arrange(2)",
            "f stopped with ImportError: cannot import name 'arrange' from 'numpy' (Did you mean: "
            "'arange'?) in line 1 of w.py.",
        ),
        (
            "import broken",
            "broken.x(1)",
            "f stopped with ImportError: SyntaxError of broken.py: unmatched ')' in line 1 of w.py.",
        ),
    ],
)
def test_an_import_is_shown_where_it_is_with_a_name_that_can_be_imported(failed, head, body, said):
    text = f"{head}\ndef f():\n    return {body}\n"
    assert failed(text)[0] == said
    assert failed(text + "f\n")[0] == said  # a second use has the same line


def test_an_attribute_of_self_is_named_only_if_it_is_there(failed):
    forward = "    def forward(self):\n        return W_k(1)\ndef f():\n    return M()()\n"
    finding, explained, kind = failed(PROJECTING + forward)
    assert finding.endswith(
        "name 'W_k' is not defined (Did you mean: 'self.W_k'?) in line 8 of w.py."
    )
    assert (explained, kind) == ("", "name")
    finding, explained, kind = failed(f"{MODULE}        super().__init__()\n{forward}")
    assert "mean" not in finding
    assert explained.startswith("An import or an assignment of W_k is missing")


@pytest.mark.parametrize(
    "call", ["F.softmax(x, dim=-1)", "torch.softmax(x, dim=-1)", "torch.exp(x)"]
)
def test_an_array_in_a_function_of_torch_is_said(failed, call):
    head = "import torch, numpy as np\nimport torch.nn.functional as F\n"
    finding, explained, kind = failed(f"{head}def f():\n    x = np.ones(2)\n    return {call}\n")
    assert "in line 5 of w.py" in finding
    assert "mean:" not in finding  # a name of the library's is no name of theirs
    assert explained.startswith(TENSORS)
    assert kind == "raised"


def test_an_attribute_that_the_line_asks_for_is_not_taken_for_the_library_s(failed):
    finding, explained, kind = failed("import numpy as np\ndef f():\n    np.ones(2).softmax()\n")
    assert "inside" not in finding
    assert (explained, kind) == ("", "attribute")
    text = f"{PROJECTING}def f():\n    return M().W_q\n"
    finding, _, kind = failed(text)
    assert finding.endswith("(Did you mean: 'W_k'?) in line 8 of w.py.")
    assert kind == "attribute"


@pytest.mark.parametrize("init", ["pass", "super().__init__"])
def test_a_module_that_is_not_made_ready_is_said(failed, init):
    text = f"{MODULE}        {init}\n        self.W = nn.Linear(2, 2)\ndef f():\n    return M()\n"
    finding, explained, kind = failed(text)
    assert "in line 6 of w.py" in finding
    assert explained.startswith("`super().__init__()` prepares a module for its parts")
    assert kind == "parent_init"


@pytest.mark.parametrize("sizes", ["1, 2, 1, 2", "(1, 2, 1, 2)"])
def test_view_of_an_array_is_numpy_s(failed, sizes):
    text = f"import numpy as np\ndef f():\n    return np.ones((2, 2)).view({sizes})\n"
    assert failed(text)[1].endswith("In NumPy, `view` is `reshape`.")


def test_the_arguments_of_another_function_are_not_counted_for_the_student_s(failed):
    text = "import numpy as np\ndef f():\n    return np.ones(2).copy(1, 2, 3)\n"
    assert failed(text)[1] == ""


def test_the_choices_of_torch_are_left_out(failed):
    text = "import torch\ndef f():\n    return torch.ones(2).masked_fill(True, 'a')\n"
    assert failed(text)[0].endswith("arguments - got (bool, str) in line 3 of w.py.")


@pytest.mark.parametrize(
    ("index", "sizes", "said"),
    [
        ("..., mask == 0", "(1, 4)", "scores that it selects have the shape (3, 4). Both"),
        ("mask == 0", "(3, 4)", "scores that it selects have the shape (2, 3). Both"),
        (":, ~mask", "(4,)", "scores that it selects have the shape (3,). Both"),
        (":, :, mask", "(3, 4)", "scores that it selects have the shape (4,). Both"),
    ],
)
@pytest.mark.parametrize("library", ["np", "torch"])
def test_a_mask_as_an_index_is_compared_with_the_axes_that_it_selects(
    failed, library, index, sizes, said
):
    """It was "An index in brackets has to have the array's own shape", for an index that may not."""
    text = (
        f"import torch, numpy as np\ndef f():\n    scores = {library}.ones((2, 3, 4))\n"
        f"    mask = {library}.ones({sizes}) == 1\n    scores[{index}] = -1e9\n"
    )
    condition = index.split(", ")[-1]
    explained = failed(text)[1]
    assert said in explained
    assert f"The index `{condition}` has the shape {sizes}" in explained
    assert explained.endswith(f"`{library}.where({condition}, -1e9, scores)` broadcasts.")
    text = text.replace(f"ones({sizes})", "ones((5, 1, 1, 1))")
    assert "where" not in failed(text)[1]  # it does not fit there either


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("x.transpose(1, 2).reshape(1, 2, 12)", "swapaxes(1, 2) exchanges two axes."),
        ("x.transpose(0, 2, 1)", "`x` has the shape (1, 2, 3, 4). It has to list each axis of"),
        ("np.transpose(x, (0, 2, 1))", "`x` has the shape (1, 2, 3, 4). It has to list each axis"),
        ("x.reshape(1, 6, 4).transpose(1, 2)", "`x.reshape(1, 6, 4)` has other axes. In NumPy"),
        ("x @ x.transpose(0, 2, 1)", "np.swapaxes(x, -1, -2) exchanges the last two axes of an"),
        ("torch.ones(1, 2, 3, 4).permute(0, 2, 1)", "other axes. It has to list each axis"),
        ("x @ x.T", "x.T reverses all axes: (1, 2, 3, 4) becomes (4, 3, 2, 1)."),
    ],
)
def test_the_last_two_axes_are_exchanged_only_in_a_product(failed, body, said):
    """The advice for Q Kᵀ was given for head and position too, with a shape before a reshape."""
    text = (
        f"import torch, numpy as np\ndef f():\n    x = np.ones((1, 2, 3, 4))\n    return {body}\n"
    )
    explained = failed(text)[1]
    assert said in explained
    assert ("-1, -2" in explained) == body.startswith("x @ x.transpose")


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (
            "max(x)",
            "compares the parts along the first axis, such as whole rows. `np.max(…, axis=…, ",
        ),
        ("min(x, axis=1)", "`np.min(…, axis=…, keepdims=True)` works for any axis."),
        (
            "sum(x, axis=1)",
            "adds the parts along the first axis, such as whole rows. `np.sum(…, axis=…, ",
        ),
        (
            "max(torch.ones(2, 2), dim=1)",
            "`torch.amax(…, dim=…, keepdim=True)` works for any axis.",
        ),
        ("1 if x else 2", "`if`, `and` and `or` need one truth value"),
        ("np.sum(x, keepdim=1)", ""),
    ],
)
def test_the_own_max_of_python_is_told_from_numpy_s(failed, body, said):
    text = f"import torch, numpy as np\ndef f():\n    x = np.ones((2, 3))\n    return {body}\n"
    explained = failed(text)[1]
    assert said in explained
    assert ("np.max" in explained) == (body == "max(x)")
