"""Workers for one's own code, started before anything heavy is imported here."""

import sys

from autograder.course import Course, Library
from autograder.sandbox.child import Children


def children_for(course: Course, start: Library | None = None) -> Children:
    """Children for one's own code, unconfined; with `start`, a first one is on its way already."""
    reference = course.content.reference
    if sys.platform != "linux":
        from autograder.sandbox.spawn import Spawner

        spawner = Spawner(reference, ahead=True)
        if start is not None:
            spawner.prepare(start, course.content.limits)
        return spawner
    from autograder.sandbox.forkserver import ForkServers

    servers = ForkServers(reference, "none")
    if start is not None:
        servers.prepare(start)
    return servers
