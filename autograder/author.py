"""The public interface for authors: all names that courses may import from the engine.

A course's reference, checks and misconceptions import from this module only. `docs/api.md`
describes every name. `python -m tools.api` writes that page from these imports.

A *case* is one call in a check. A *probe* is a call that distinguishes misconceptions. A *step* is
a named part of the correct answer. A misconception replaces one or more steps. Arrays are NumPy
arrays. A comparison tests first the shape, then that all values are finite, then the values
themselves. The first difference raises `Mismatch`.
"""

from autograder.checks.check_result import MayFollow, NotJudged
from autograder.checks.equality import (
    Script,
    expect_equal,
    expect_same,
    expect_script,
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
