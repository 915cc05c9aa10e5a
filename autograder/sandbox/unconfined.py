"""Workers for one's own code, started before anything heavy is imported here."""

import sys
from pathlib import Path

from autograder.course import Course, Library
from autograder.sandbox.child import Children
from autograder.sandbox.warm import also_warm_for


def children_for(
    course: Course, start: Library | None = None, path: Path | None = None
) -> Children:
    """Children for one's own code, unconfined.

    With `start`, a first one is on its way already, for the file at `path` if one is named.
    """
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
        servers.prepare(start, also_warm_for(start, path) if path is not None else ())
    return servers
