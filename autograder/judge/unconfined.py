"""Workers for one's own code, started before anything heavy is imported here."""

import sys

from autograder.course import Course, Library
from autograder.judge.child import Children


def children_for(course: Course, library: Library) -> Children:
    """Children for one's own code, unconfined, of which a first one is starting already."""
    reference = course.content.reference
    if sys.platform != "linux":
        from autograder.judge.spawn import Spawner

        spawner = Spawner(reference, ahead=True)
        spawner.prepare(library, course.content.limits)
        return spawner
    from autograder.judge.forkserver import ForkServers

    servers = ForkServers(reference, "none")
    servers.prepare(library)
    return servers
