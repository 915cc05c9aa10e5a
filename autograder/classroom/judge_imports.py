"""Imports that judges need.

The process that forks judges makes these imports once, before the first fork.
"""

import atexit
import os

import autograder.grading.judge
import autograder.sandbox.fork_server
import autograder.sandbox.levels  # noqa: F401
from autograder.course.optimisations import is_off

if not is_off("quick_exit"):
    atexit.register(os._exit, 0)  # a clean exit takes as long as grading a small class
