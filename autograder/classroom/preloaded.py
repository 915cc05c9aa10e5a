"""Imports of the process that judges are forked from: all that a judge needs."""

import atexit
import os

from autograder.course.installation import imports_that_stay
from autograder.course.optimisations import is_off

with imports_that_stay():
    import autograder.grading.judge
    import autograder.sandbox.fork_server
    import autograder.sandbox.levels  # noqa: F401

if not is_off("quick_exit"):
    atexit.register(os._exit, 0)  # to take apart what is imported takes as long as a small class
