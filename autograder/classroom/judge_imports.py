"""Imports of the process that judges are forked from: all that a judge needs."""

import atexit
import os

import autograder.grading.judge
import autograder.sandbox.fork_server
import autograder.sandbox.levels  # noqa: F401
from autograder.course.optimisations import is_off

if not is_off("quick_exit"):
    atexit.register(os._exit, 0)  # to take apart what is imported takes as long as a small class
