"""Grading on a cluster, as a class asks for it: in place of the processes of one machine."""

import contextlib
import functools
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from autograder.classroom.judge_pool import Graders, Reports, Setup, Task
from autograder.cluster.dispatch import Cluster, Dispatch
from autograder.cluster.environment import makeup
from autograder.course.course_file import load_course
from autograder.course.errors import UserError
from autograder.course.installation import require


def grading_on(
    cluster: Callable[[], contextlib.AbstractContextManager[Cluster]], told: Callable[[str], None]
) -> Graders:
    """What grades on the machines of a cluster. It is opened once there is something to grade."""

    def graded(tasks: Iterable[Task], setup: Setup) -> Iterator[tuple[Task, Reports]]:
        coming = iter(tasks)
        first = next(coming, None)
        if first is None:
            return
        here = makeup(load_course(setup.course_file), setup.seed, setup.level)
        with cluster() as machines:
            yield from Dispatch(machines, setup, here, told).graded(_after(first, coming))

    return graded


def _after(first: Task, others: Iterator[Task]) -> Iterator[Task]:
    yield first
    yield from others


# `autograder grade --scheduler` and `--local-cluster`: on which machines a class is graded.


def chosen_graders(
    scheduler: str | None,
    local_cluster: int | None,
    tls: tuple[Path | None, Path | None, Path | None],
    told: Callable[[str], None],
) -> Graders:
    """Return what grades on a cluster. Nothing is connected to yet.

    Args:
        tls: the files of the authority, the certificate and its key.
        told: hears of machines that are left out or lost.

    Raises:
        UserError: the options do not go together, or Dask is not installed.
    """
    if scheduler is None and local_cluster is None:
        raise UserError("--tls-ca-file, --tls-cert and --tls-key go with --scheduler ADDRESS.")
    if scheduler is not None and local_cluster is not None:
        raise UserError(
            "--scheduler and --local-cluster exclude each other. Leave one of them out."
        )
    if any(tls) and (scheduler is None or not all(tls)):
        raise UserError("--tls-ca-file, --tls-cert and --tls-key go together, with --scheduler.")
    require("cluster", "grade --scheduler" if scheduler else "grade --local-cluster")
    from autograder.cluster import dask_cluster

    if local_cluster is not None:
        return grading_on(functools.partial(dask_cluster.local, local_cluster), told)
    authority, certificate, key = tls
    files = None
    if authority is not None and certificate is not None and key is not None:
        files = dask_cluster.Certificates(authority, certificate, key)
    assert scheduler is not None
    dask_cluster.refuse_plain(scheduler, files)
    return grading_on(functools.partial(dask_cluster.connected, scheduler, files), told)
