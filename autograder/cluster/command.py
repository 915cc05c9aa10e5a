"""Machines for `autograder grade --scheduler` and `--local-cluster`."""

import contextlib
import functools
import itertools
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from autograder.classroom.judge_pool import Graders, JudgePool, Reports, Setup, Task
from autograder.cluster.dispatch import Dispatch
from autograder.cluster.environment import environment_of
from autograder.course.course_file import load_course
from autograder.course.errors import UserError
from autograder.course.installation import require

if TYPE_CHECKING:
    from autograder.cluster.dask_cluster import DaskCluster


def grading_on(
    cluster: "Callable[[], contextlib.AbstractContextManager[DaskCluster]]",
    told: Callable[[str], None],
) -> Graders:
    """Return a function that grades on a cluster. The function connects at the first task."""

    def graded(tasks: Iterable[Task], setup: Setup) -> Iterator[tuple[Task, Reports]]:
        coming = iter(tasks)
        for first in coming:
            here = environment_of(load_course(setup.course_file), setup.seed, setup.level)
            with cluster() as machines, contextlib.closing(JudgePool(1)) as pool:
                alone = functools.partial(pool.grade_one, setup=setup)
                dispatch = Dispatch(machines, setup, here, told, alone)
                yield from dispatch.graded(itertools.chain([first], coming))

    return graded


def chosen_graders(
    scheduler: str | None,
    local_cluster: int | None,
    tls: tuple[Path | None, Path | None, Path | None],
    told: Callable[[str], None],
) -> Graders:
    """Return a function that grades on the chosen cluster. `tls`: files of CA, certificate, key."""
    if scheduler is None and local_cluster is None:
        raise UserError("--tls-ca-file, --tls-cert and --tls-key need --scheduler ADDRESS.")
    if scheduler is not None and local_cluster is not None:
        raise UserError("--scheduler and --local-cluster cannot be used together.")
    if any(tls) and (scheduler is None or not all(tls)):
        raise UserError("Use --tls-ca-file, --tls-cert and --tls-key together, with --scheduler.")
    require("cluster", "grade --scheduler" if scheduler else "grade --local-cluster")
    from autograder.cluster import dask_cluster

    if local_cluster is not None:
        return grading_on(functools.partial(dask_cluster.local, local_cluster), told)
    assert scheduler is not None
    files = [path for path in tls if path is not None]
    dask_cluster.secured(scheduler, files)  # report errors in the files at once
    return grading_on(functools.partial(dask_cluster.connected, scheduler, files), told)
