"""torch's compiler is imported only when something compiles."""

import subprocess
import sys

import pytest

STEPS = """
import sys
from autograder.worker.preparation import import_compiler_late
import_compiler_late()
import inspect, torch
weight = torch.nn.Parameter(torch.ones(2))
for kind in (torch.optim.AdamW, torch.optim.SGD, torch.optim.RMSprop):
    optimizer = kind([weight], lr=0.1)
    optimizer.zero_grad()
    (weight**2).sum().backward()
    optimizer.step()
    optimizer.load_state_dict(optimizer.state_dict())
inspect.getmodule(kind)  # goes through all modules
assert weight[0] < 1
assert "torch._dynamo.convert_frame" not in sys.modules
"""
COMPILES = """
double = torch.compile(lambda x: 2 * x, backend="eager")
assert double(weight).tolist() == (2 * weight).tolist()
assert "torch._dynamo.convert_frame" in sys.modules
optimizer.step()
"""


@pytest.mark.parametrize(
    "code", [STEPS, pytest.param(STEPS + COMPILES, marks=pytest.mark.thorough)]
)
def test_it_is_imported_by_what_compiles_only(code):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
