"""Switches that turn off optimisations, for measurements. Points stay the same."""

import os

VARIABLE = "AUTOGRADER_WITHOUT"


def is_off(name: str) -> bool:
    """Return True if the variable `AUTOGRADER_WITHOUT` contains the name of an optimisation."""
    return name in os.environ.get(VARIABLE, "").split(",")
