"""What judges are forked from imports this, and with it all that a judge needs."""

import atexit
import gc
import os


def _load() -> None:
    gc.disable()  # what is imported stays
    import autograder.grading.session
    import autograder.sandbox.forkserver
    import autograder.sandbox.levels  # noqa: F401

    gc.freeze()
    gc.enable()


_load()
atexit.register(os._exit, 0)  # to take apart what is imported takes as long as a small class
