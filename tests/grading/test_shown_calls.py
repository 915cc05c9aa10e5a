"""A call that a report shows, pasted into Python after the student's file, gives what is shown."""

import contextlib
import io
import re
import runpy
import sys

import numpy as np
import pytest

from autograder.diagnosis.recipe import Probe
from autograder.report.model import Matrix
from autograder.report.values import excerpt
from tests.conftest import ROOT
from tests.diagnosis.test_no_false_names import CATALOGUE

FILES = sorted((ROOT / "examples" / "wrong").glob("*/*.py"))
INCOMPLETE = "<", "…", "weights of the check"  # no Python text: it says what it leaves out
# What a check makes of the results, or of the arguments, before it compares.
MADE_BY_CHECK = "after"
# A result that depends on calls before; the diagnosis says so.
OTHER_CALLS = {"order_dependent"}


def pasted(path, call):
    """The value of a call after a file, or the name of the error that it ends with."""
    sys.path[:0] = [str(path.parent), str(ROOT / "solutions")]
    try:
        with contextlib.redirect_stdout(io.StringIO()), np.errstate(all="ignore"):
            names = runpy.run_path(str(path))
            exec("import numpy as np", names)
            if "torch." in call:
                exec("import torch", names)
            return eval(call, names)
    except Exception as error:
        return type(error).__name__
    finally:
        del sys.path[:2]


def arrays_in(value):
    """The arrays in a result: itself, and the items of several results, however deep."""
    with contextlib.suppress(ValueError, TypeError):
        array = np.asarray(value.detach() if hasattr(value, "detach") else value)
        if array.dtype.kind in "biuf":
            yield array
    for part in value if isinstance(value, tuple | list) else ():
        yield from arrays_in(part)


def numbers_in(value):
    """All single numbers in a result, however deep."""
    if isinstance(value, list | tuple | dict):
        for part in value.values() if isinstance(value, dict) else value:
            yield from numbers_in(part)
    for array in arrays_in(value):
        yield from map(float, array.ravel())


def is_shown(value, shown):
    """Whether a result has the shape that is shown, and the cells that are marked as wrong.

    Of numbers that a check took out of a result, whether they are in it.
    """
    for array in arrays_in(value):
        if array.shape != shown.shape:
            continue
        if shown.groups or not shown.wrong:
            return True
        wrong = np.zeros(array.shape, bool)
        place = (*shown.at, slice(shown.top, None), slice(shown.left, None))[-wrong.ndim :]
        marks = np.asarray(shown.wrong).reshape(np.shape(shown.rows))[-wrong[place].shape[0] :]
        part = wrong[place] if wrong.ndim > 1 else wrong[place][np.newaxis]
        part[: marks.shape[0], : marks.shape[1]] = marks
        window = excerpt(array.astype(float), wrong)
        pairs = zip(np.ravel(shown.wrong), flat(shown), flat(window), strict=True)
        if all(one == pytest.approx(other, nan_ok=True) for bad, one, other in pairs if bad):
            return True
    marked = [cell for bad, cell in zip(np.ravel(shown.wrong), flat(shown), strict=True) if bad]
    every = list(numbers_in(value))
    return not every or (len(shown.shape) < 2 and set(marked) <= set(every))


def flat(matrix):
    return [float(cell) for row in matrix.rows for cell in row]


def not_as_shown(path, report):
    """The calls of a report that do not give what is shown below them."""
    for check in report.checks:
        evidence = check.evidence
        if check.hidden or evidence is None or not evidence.call:
            continue
        if any(sign in evidence.call for sign in INCOMPLETE) or MADE_BY_CHECK in evidence.what:
            continue
        if check.diagnosis is not None and check.diagnosis.code in OTHER_CALLS:
            continue
        value = pasted(path, evidence.call)
        if check.cause.code == "raised":
            good = value == check.cause.error
        else:
            good = not isinstance(evidence.yours, Matrix) or is_shown(value, evidence.yours)
        if not good:
            yield check.name, evidence.call, value, evidence.yours


def given_to(call):
    """The arguments of a shown call, with other numbers where only a shape is shown."""
    made = re.sub(r"<mask of shape (\([^)]*\))>", r"np.ones(\1, bool)", call)
    made = re.sub(r"<\w+ of shape (\([^)]*\))>", r"np.random.default_rng(1).normal(size=\1)", made)
    names = {"np": np, call.partition("(")[0]: lambda *args, **kwargs: Probe(args, kwargs)}
    return eval(made, names)


def kinds_said(diagnosis):
    """The kinds of calls that go wrong, as a diagnosis names them."""
    for statement in diagnosis.statements:
        for name in ("wrong", "also"):
            if name in statement.values:
                yield statement.values[name]
    yield from filter(None, diagnosis.calls.split(" and "))


def outside_its_kind(exercise, report):
    """The shown calls that are not of the kind that their diagnosis speaks of."""
    for check in report.checks:
        call = check.evidence.call if check.evidence is not None and not check.hidden else ""
        is_known = call and "<" not in re.sub(r"<\w+ of shape", "", call)
        recipe = CATALOGUE.recipes(exercise).get(check.evidence.function) if is_known else None
        if recipe is None or check.diagnosis is None or recipe.caller is not None:
            continue
        state = recipe.right(given_to(call))
        for words in kinds_said(check.diagnosis):
            sides = {t.when: t.of(state) for t in recipe.traits}
            sides |= {t.otherwise: not t.of(state) for t in recipe.traits}
            if not sides.get(words, True):
                yield call, check.diagnosis.sentence


@pytest.mark.one_in(288)
@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_shown_call_gives_what_is_shown_and_is_of_the_kind_that_goes_wrong(path, grade_file):
    report = grade_file(path, path.parent.name)
    assert not list(not_as_shown(path, report))
    assert not list(outside_its_kind(path.parent.name, report))


FIRST_AXIS_IF_GIVEN = """
    import numpy as np

    def softmax(x, axis=-1):
        x = np.asarray(x, dtype=float)
        axis = axis if axis == -1 else 0
        e = np.exp(x - x.max(axis=axis, keepdims=True))
        return e / e.sum(axis=axis, keepdims=True)
"""


def test_the_last_axis_by_its_number_is_the_last_axis(grade_text):
    """Wrong for `axis=1` of a matrix too, so not only "along another axis than the last"."""
    report = grade_text("softmax", FIRST_AXIS_IF_GIVEN)
    assert [check.name for check in report.checks if check.outcome == "failed"]
    assert not list(outside_its_kind("softmax", report))
    assert "another axis than the last" not in str(report)


ONE_BATCH_AXIS = """
    import numpy as np

    def project_qkv(X, W_Q, W_K, W_V):
        return tuple(np.einsum("bld,de->ble", X, W) for W in (W_Q, W_K, W_V))
"""


def test_the_error_in_a_diagnosis_is_that_of_the_call_shown(grade_text):
    """Not of another call, with other shapes."""
    report = grade_text("qkv_projection", ONE_BATCH_AXIS)
    first = next(check for check in report.checks if check.outcome == "failed")
    assert first.diagnosis.statements[0].values["error"].startswith(first.finding)
    assert "X has the shape (L, d_model) = (3, 4)" in first.diagnosis.sentence
    assert first.diagnosis.repeats_finding


KEYS_AS_ONE_HEAD = """
    import torch
    from torch import nn

    class MultiHeadAttention(nn.Module):
        def __init__(self, d_model, num_heads):
            super().__init__()
            self.heads = num_heads
            for name in ("W_q", "W_k", "W_v", "W_o"):
                setattr(self, name, nn.Linear(d_model, d_model, bias=False))

        def forward(self, x, mask=None):
            batch, length, width = x.shape
            q, k, v = (
                w(x).reshape(batch, length, -1, self.heads).transpose(1, 2)
                for w in (self.W_q, self.W_k, self.W_v)
            )
            scores = q @ k.transpose(-2, -1) / self.heads**0.5
            if mask is not None:
                mask = mask[:, None] if mask.ndim == 3 else mask
                scores = scores.masked_fill(mask == 0, float("-inf"))
            weights = scores.softmax(-1)
            merged = (weights @ v).transpose(1, 2).reshape(batch, length, width)
            return self.W_o(merged), weights
"""


@pytest.mark.thorough
def test_a_shown_call_is_the_one_that_was_compared(grade_text):
    """And none with which the check asked for something else in between."""
    pytest.importorskip("torch")
    report = grade_text("multi_head_attention", KEYS_AS_ONE_HEAD)
    check = next(check for check in report.checks if check.title.startswith("One head"))
    made_with = re.match(r"MultiHeadAttention\(\d+, (\d+)\)", check.evidence.call)
    assert check.outcome == "failed" and made_with[1] == "1", check.evidence.call
