"""Work that an earlier release of the course handed out."""

import msgspec

from autograder.course.course_file import Course
from autograder.course.lateness import LatePolicy
from autograder.submission.source import Source
from autograder.submission.stubs import course_digest, older_releases, release_mark
from autograder.worker.messages import Unit


def notes(course, *names, digest="0" * 12):
    units = [
        (name, Unit(f"{name}.py", f"x = 1\n\n# %%\n{release_mark(digest)}\n")) for name in names
    ]
    return list(older_releases(course, [Source(n, f"{n}.py", (unit,)) for n, unit in units]))


def test_files_of_one_older_release_are_named_together(course):
    (alone,) = notes(course, "a")
    assert alone.startswith(
        "a.py is from another release of the course (000000000000). The current course"
    )
    (together,) = notes(course, *"abcdef")
    assert together.startswith("a.py, b.py, c.py, d.py and 2 more are from another release")


def test_what_nothing_is_known_of_is_not_spoken_of(course):
    source = Source("a", "a.py", (Unit("a.py", "x = 1\n"),))
    assert list(older_releases(course, [source])) == []


def test_a_late_penalty_makes_no_other_release(course):
    content = msgspec.structs.replace(course.content, late=LatePolicy(percent_a_day=10))
    assert course_digest(Course(course.root, content)) == course_digest(course)
