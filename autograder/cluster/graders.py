"""Grading on a cluster, as a class asks for it: in place of the processes of one machine."""

import contextlib
from collections.abc import Callable, Iterable, Iterator

from autograder.classroom.pool import Graders, Reports, Setup, Task
from autograder.cluster.dispatch import Cluster, Dispatch
from autograder.cluster.makeup import makeup
from autograder.course import load_course


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
