"""What judges are forked from imports this, and with it all that a judge needs."""

import atexit
import os

from autograder.importing import imports_that_stay

with imports_that_stay():
    import autograder.grading.session
    import autograder.sandbox.forkserver
    import autograder.sandbox.levels  # noqa: F401

atexit.register(os._exit, 0)  # to take apart what is imported takes as long as a small class
