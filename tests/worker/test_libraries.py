"""The libraries beside numpy that students use, on each level of confinement."""

import pytest

from autograder.checks.proxy import Submission
from autograder.course.course_file import Limits
from autograder.sandbox.levels import children_on, why_not
from autograder.sandbox.problems import Raised
from autograder.sandbox.session import WorkerSession
from autograder.sandbox.workers import Workers
from autograder.submission.source import Source
from autograder.worker.messages import Unit

WORK = """
import einops, pandas as pd, seaborn as sns
from scipy import special, stats
def soft(x):
    return special.softmax(x)
def normal():
    return float(stats.norm.cdf(0))
def frame():
    return float(pd.DataFrame({"a": [1, 2]}).mean().iloc[0])
def folded(x):
    import numpy as np
    return einops.rearrange(np.array(x), "(a b) -> a b", a=2)
def heat():
    return sns.heatmap([[1.0, 2.0], [3.0, 4.0]], annot=True).figure
def plain():
    import numpy as np
    return float(np.ones(2).sum())
"""


@pytest.fixture(
    params=[
        "full",
        "no-open",
        *(pytest.param(level, marks=pytest.mark.thorough) for level in ("none", "landlock")),
    ]
)
def level(request):
    if request.param != "none" and why_not(request.param):
        pytest.skip(why_not(request.param))
    return request.param


@pytest.fixture
def work(level, course, tmp_path):
    children = children_on(level, course, [], tmp_path)
    source = Source("work", "work.py", (Unit("work.py", WORK),))
    client = WorkerSession(
        Workers(source, "numpy", Limits(load_seconds=60, total_seconds=120), children)
    )
    yield Submission(client)
    client.close()
    children.close()


@pytest.mark.one_in(2)
def test_what_is_installed_can_be_imported(work, level):
    assert work.plain() == 2
    if level == "no-open":
        for call in (lambda: work.soft([1.0, 2.0]), work.frame):
            with pytest.raises(Raised, match="no library can be imported that is not loaded"):
                call()
        return
    assert work.normal() == 0.5
    assert work.soft([0.0, 0.0]).tolist() == [0.5, 0.5]
    assert work.frame() == 1.5
    assert work.folded([1, 2, 3, 4]).tolist() == [[1, 2], [3, 4]]
    assert len(work.heat().axes) == 2
