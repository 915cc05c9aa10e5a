"""Switches that disable optimisations for measurements; the points stay the same."""

import os

VARIABLE = "AUTOGRADER_WITHOUT"


def is_off(name: str) -> bool:
    """Return whether the environment disables it: `AUTOGRADER_WITHOUT=quick_exit,…`."""
    return name in os.environ.get(VARIABLE, "").split(",")
