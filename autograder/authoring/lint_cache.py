"""Cache of courses without authoring errors. An entry is valid until a course file changes.

The lint imports torch and all code of the course, which takes longer than grading a submission.
This module itself imports neither torch nor the course, because judge processes are forked from its
process.
"""

import os
import sys
from collections.abc import Sequence

from autograder.course.cache import Cache, cache_key
from autograder.course.course_file import FILE_NAME, Course, Exercise
from autograder.course.installation import engine_folder
from autograder.sandbox.spawn import library_folders

MAX_KEPT = 50  # states of courses


def refuse_new_errors(
    course: Course, exercises: Sequence[Exercise], only_code: bool = False
) -> str:
    """If a file has changed since the last lint, refuse authoring errors in these exercises.

    Return a digest of the files. If `only_code` is true, a judge has already collected the checks.
    """
    cache = Cache.of_user("lint", MAX_KEPT)
    names = [exercise.name for exercise in exercises]
    key = cache_key([only_code, sys.version, names, _stamps(course)])
    if cache.get(key) is None:
        from autograder.authoring import lint

        refuse = lint.refuse_errors_in_code if only_code else lint.refuse_authoring_errors
        refuse(course, exercises)
        cache.put(key, b"")
    return key


def _stamps(course: Course) -> list[tuple[str, int, int]]:
    files = [str(course.root / FILE_NAME), *library_folders()]
    for root in (engine_folder(), *course.grading, course.solutions):
        for folder, inner, names in os.walk(root, followlinks=True):
            inner[:] = sorted(n for n in inner if n[0] != "." and n != "__pycache__")
            files += [os.path.join(folder, name) for name in sorted(names) if name[0] != "."]
    return [(file, (stat := os.stat(file)).st_size, stat.st_mtime_ns) for file in files]
