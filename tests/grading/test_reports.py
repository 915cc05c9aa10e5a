"""What a report says of what graded it."""

import numpy as np

from autograder.grading.reports import grader_record


def test_the_version_of_numpy_is_that_which_computes(course):
    assert grader_record(course, 0).numpy == np.__version__
