"""What a submission's process is told of the machine: nothing that is the instructor's."""

import msgspec
import pytest

from autograder.course.course_file import Limits
from autograder.sandbox import workers
from autograder.sandbox.spawn import environment
from autograder.submission.source import from_text

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


@pytest.mark.parametrize("is_there", [False, True])
@pytest.mark.parametrize("text", ["import torch\n", "import helper\n"])
def test_a_library_is_warmed_up_only_where_it_is_installed(monkeypatch, text, is_there):
    """Without torch, the process that was to import it ended, and the grader seemed to fail."""
    asked = []

    class Asked(Exception):
        pass

    class Kept:
        def take(self, kind):
            asked.append(kind.library)
            raise Asked

    source = from_text(text, "softmax", "softmax.py")
    source = msgspec.structs.replace(source, helpers={"helper": "import torch\n"})
    monkeypatch.setattr(workers, "find_spec", lambda library: is_there or None)
    with pytest.raises(Asked):
        workers.Workers(source, "numpy", Limits(), Kept()).start(None, "first")
    assert asked == ["torch" if is_there else "numpy"]
