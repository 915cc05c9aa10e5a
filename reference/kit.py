"""The small models, in the process of a submission."""

import inspect
from typing import Any


def kit_of(submission: Any) -> Any:
    """The course's small models, beside the student's module."""
    from reference import small_models

    return submission.define("small_models", inspect.getsource(small_models))
