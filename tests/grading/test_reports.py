"""What a report says of what graded it."""

import numpy as np

from autograder.course.files import files_below
from autograder.grading.reports import READ, grader_record
from tests.engine import ENGINE


def test_the_version_of_numpy_is_that_which_computes(course):
    assert grader_record(course, 0).numpy == np.__version__


def test_files_come_in_the_order_of_their_folders(tmp_path):
    for name in ("a/b.py", "a.py", "a-b/c.py", "a/b/c.json", "a/no.txt", "Z.py", "a/B.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    for folder in (tmp_path, ENGINE):
        as_paths = sorted(each for kind in READ for each in folder.rglob(kind))
        expected = [path.relative_to(folder).as_posix() for path in as_paths]
        assert files_below(str(folder), (".py", ".json")) == expected
