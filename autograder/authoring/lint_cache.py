"""Cache of courses without authoring errors: while no file changes, none is looked for again.

To look means to import all that the course knows, torch too, which takes longer than to grade a
submission.
"""

import os
import sys
from collections.abc import Callable, Sequence

from autograder.course.cache import Cache, cache_key
from autograder.course.course_file import FILE_NAME, Course, Exercise
from autograder.course.installation import engine_folder
from autograder.sandbox.spawn import library_folders

MAX_KEPT = 50  # courses, or states of one

Look = Callable[[Course, Sequence[Exercise]], None]


def unless_cached(look: Look, course: Course, exercises: Sequence[Exercise]) -> None:
    """Look for authoring errors in these exercises, unless that was done with the very same files.

    Raises:
        UserError: whatever `look` raises of an error; then nothing is kept.
    """
    cache = Cache.of_user("lint", MAX_KEPT)
    names = [exercise.name for exercise in exercises]
    key = cache_key([look.__name__, sys.version, names, _stamps(course)])
    if cache.get(key) is None:
        look(course, exercises)
        cache.put(key, b"")


def refuse_authoring_errors(course: Course, exercises: Sequence[Exercise]) -> None:
    """Refuse a course with authoring errors; what finds them is imported only if a file changed."""
    from autograder.authoring import lint

    lint.refuse_authoring_errors(course, exercises)


def refuse_errors_in_code(course: Course, exercises: Sequence[Exercise]) -> None:
    """Refuse authoring errors in checks and reference; what finds them is imported only then."""
    from autograder.authoring import lint

    lint.refuse_errors_in_code(course, exercises)


def _stamps(course: Course) -> list[tuple[str, int, int]]:
    """Return size and time of all that could make a difference: of course, engine, libraries."""
    files = [str(course.root / FILE_NAME), *library_folders()]
    for root in (engine_folder(), *course.grading, course.solutions):
        for folder, inner, names in os.walk(root, followlinks=True):
            inner[:] = sorted(n for n in inner if n[0] != "." and n != "__pycache__")
            files += [os.path.join(folder, name) for name in sorted(names) if name[0] != "."]
    return [(file, (stat := os.stat(file)).st_size, stat.st_mtime_ns) for file in files]
