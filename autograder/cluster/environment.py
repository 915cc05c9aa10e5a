"""Environment of grading: everything except the submission that affects a grade."""

import platform

from autograder.course.cache import engine_key, files_key
from autograder.course.course_file import FILE_NAME, Course
from autograder.course.files import plain_files
from autograder.course.installation import version_of
from autograder.grading.reports import grader_record
from autograder.worker.confinement import Level

LIBRARIES = ("einops", "matplotlib", "msgspec", "pandas", "pytest", "scipy", "seaborn")
DIGITS = 12  # the number of digits of a digest

Environment = dict[str, str]  # from the name of each part, as in messages, to its version


def environment_of(course: Course, seed: int, level: Level) -> Environment:
    """Return the properties of this machine that affect grades, in the order of messages."""
    grader = grader_record(course, seed, level)
    folders = (*course.grading, course.solutions)
    files = {course.root / FILE_NAME, *(file for each in folders for file in plain_files(each))}
    return {
        "autograder": grader.version,
        "Python": grader.python,
        "NumPy": grader.numpy,
        "torch": grader.torch or "none",
        "processor": platform.machine(),
        "confinement": grader.confinement,
        "autograder's files": engine_key()[:DIGITS],
        "the course's files": files_key(course.root, sorted(files), DIGITS),
        **{name: version_of(name) or "none" for name in LIBRARIES},
    }


def differences(there: Environment, here: Environment) -> list[str]:
    pairs = {part: (there.get(part, "none"), here.get(part, "none")) for part in {**here, **there}}
    return [f"{part} {a} instead of {b}" for part, (a, b) in pairs.items() if a != b]
