"""The public interface for authors: all names that courses may import from the engine.

A course's reference, checks and misconceptions import from this module only. Each name is loaded at
its first use, so a check without torch does not import the code for torch. `docs/api.md` describes
every name. `python -m tools.api` writes that page from this list.

A *case* is one call in a check. A *probe* is a call that distinguishes misconceptions. A *step* is
a named part of the correct answer. A misconception replaces one or more steps. Arrays are NumPy
arrays. A comparison tests first the shape, then that all values are finite, then the values
themselves. The first difference raises `Mismatch`.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from autograder.checks.check_result import MayFollow, NotJudged
    from autograder.checks.equality import (
        Script,
        expect_equal,
        expect_false,
        expect_same,
        expect_script,
        expect_true,
        expect_type,
        script_results,
    )
    from autograder.checks.expect import (
        Mismatch,
        NotStarted,
        expect_close,
        expect_error,
        expect_numbers,
        expect_results,
        expect_shape,
        expect_unchanged,
        expect_unchanged_arguments,
        graded_elsewhere,
    )
    from autograder.checks.follow_through import (
        OwnSteps,
        ask_alone,
        expect_all_follow,
        expect_data_follows,
        expect_follows,
        expect_independent_calls,
        is_informative,
        is_responsive,
        other_numbers,
        values_agree,
    )
    from autograder.checks.module_weights import ParameterFit, ParameterNames, Weights
    from autograder.checks.proxy import Function, Remote, Submission
    from autograder.checks.recorded_answers import stand_in
    from autograder.checks.tolerance import allowed_error
    from autograder.checks.torch_modules import (
        ModuleRun,
        draw_state,
        expect_gradients,
        expect_parts,
        expect_stateless,
        expect_unchanged_tensors,
        forward_pass,
        reference_pass,
    )
    from autograder.course.text import capital, few, is_plural, join_names, one_line, several
    from autograder.diagnosis.callers import (
        ModuleCaller,
        TensorCaller,
        expect_module,
        float32_probe,
    )
    from autograder.diagnosis.finding import Finding
    from autograder.diagnosis.mistakes import Mistakes
    from autograder.diagnosis.outcome import Comparison
    from autograder.diagnosis.recipe import (
        Caller,
        Change,
        Fact,
        Family,
        Hints,
        LibraryObject,
        Misconception,
        Probe,
        Recipe,
        State,
        Step,
        Trait,
        chosen,
        constant,
        without,
    )
    from autograder.report.model import Curve
    from autograder.report.numbers import index
    from autograder.sandbox.problems import NotWritten, Raised, StudentProblem
    from autograder.submission.stubs import TEXT_STUB
    from autograder.worker.codec import Axes, Figure, Image, tensor
    from autograder.worker.messages import Passed

# The names by heading of docs/api.md and by module, in the order of the page.
GROUPS = {
    "Comparing answers": {
        "autograder.checks.expect": (
            "expect_close expect_shape expect_numbers expect_results expect_unchanged"
            " expect_unchanged_arguments expect_error graded_elsewhere Mismatch NotStarted"
        ),
        "autograder.checks.equality": (
            "expect_equal expect_same expect_true expect_false expect_type"
            " expect_script script_results Script"
        ),
        "autograder.checks.follow_through": "expect_independent_calls values_agree",
        "autograder.checks.tolerance": "allowed_error",
    },
    "Follow-through": {
        "autograder.checks.follow_through": (
            "expect_follows expect_all_follow expect_data_follows OwnSteps is_informative"
            " is_responsive other_numbers ask_alone"
        ),
        "autograder.checks.check_result": "NotJudged MayFollow",
    },
    "The student's module": {
        "autograder.checks.proxy": "Submission Function Remote",
        "autograder.sandbox.problems": "StudentProblem Raised NotWritten",
        "autograder.worker.codec": "Figure Axes Image",
        "autograder.report.model": "Curve",
    },
    "Recipes and misconceptions": {
        "autograder.diagnosis.mistakes": "Mistakes",
        "autograder.diagnosis.recipe": (
            "Recipe Probe Trait Fact LibraryObject State Caller"
            " Family Misconception Change Step Hints chosen without constant"
        ),
        "autograder.diagnosis.outcome": "Comparison",
        "autograder.diagnosis.finding": "Finding",
    },
    "torch modules": {
        "autograder.worker.codec": "tensor",
        "autograder.checks.torch_modules": (
            "forward_pass reference_pass ModuleRun draw_state expect_parts expect_gradients"
            " expect_unchanged_tensors expect_stateless"
        ),
        "autograder.checks.module_weights": "ParameterNames ParameterFit Weights",
        "autograder.checks.recorded_answers": "stand_in",
        "autograder.worker.messages": "Passed",
        "autograder.diagnosis.callers": "ModuleCaller expect_module TensorCaller float32_probe",
    },
    "Words for findings": {
        "autograder.course.text": "capital few is_plural join_names one_line several",
        "autograder.report.numbers": "index",
        "autograder.submission.stubs": "TEXT_STUB",
    },
}
MODULE_OF = {
    name: module
    for modules in GROUPS.values()
    for module, names in modules.items()
    for name in names.split()
}


def __getattr__(name: str) -> Any:
    if name not in MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = found = getattr(importlib.import_module(MODULE_OF[name]), name)
    return found


def __dir__() -> list[str]:
    return sorted(MODULE_OF)
