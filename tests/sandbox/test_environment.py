"""What a submission's process is told of the machine: nothing that is the instructor's."""

import pytest

from autograder.sandbox.spawn import environment

TOLD = {
    *("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"),
    *("HOME", "TMPDIR", "LANG", "PYTHONHASHSEED", "PYTHONDONTWRITEBYTECODE"),
    *("MPLBACKEND", "MPLCONFIGDIR"),
}


@pytest.mark.parametrize(
    "name", ["PATH", "LD_LIBRARY_PATH", "USER", "PYTHONPATH", "VIRTUAL_ENV", "TOKEN", "PWD"]
)
def test_nothing_of_the_instructors_goes_along(monkeypatch, name):
    monkeypatch.setenv(name, "of the instructor")
    monkeypatch.delenv("SYSTEMROOT", raising=False)
    told = environment("/scratch")
    assert set(told) == TOLD
    assert "of the instructor" not in told.values()


def test_windows_is_told_where_it_is(monkeypatch):
    monkeypatch.setenv("SYSTEMROOT", "C:\\Windows")
    assert set(environment("/scratch")) == TOLD | {"SYSTEMROOT"}


SAY = """
import os
def softmax(x, axis=-1):
    raise ValueError(sorted(os.environ))
"""


def test_a_submission_sees_no_more_than_that(grade_text, monkeypatch):
    said = str(grade_text("softmax", SAY))
    assert "PYTHONHASHSEED" in said
    assert "'PATH'" not in said
