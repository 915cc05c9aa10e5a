"""Imports from before `autograder.author`. They still work for one version, with a warning.

The table has the documented names of each old module. An entry `old=new` stands for a renamed name.
"""

import importlib
import warnings
from collections.abc import Callable
from importlib.abc import Loader
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

NEW = "autograder.author"
NAMES = {
    "checking.carried_forward": (
        "OwnSteps follows=expect_follows all_follow=expect_all_follow"
        " follows_data=expect_data_follows says_something=is_informative respond=is_responsive"
        " turned=other_numbers"
    ),
    "checking.equal": "expect_equal expect_same expect_true expect_false expect_type",
    "checking.expect": (
        "Mismatch expect_close expect_shape expect_numbers expect_results expect_unchanged"
    ),
    "checking.parts": "Words=ParameterNames Fit=ParameterFit Weights",
    "checking.proxy": "Submission Function Remote",
    "checking.purity": "expect_no_trace=expect_independent_calls alike=values_agree",
    "checking.refusal": "expect_error expect_refusal=expect_error",
    "checking.right_pass": "right_pass=reference_pass",
    "checking.stand_in": "stand_in",
    "checking.tolerance": "allowed_error",
    "checking.torch_modules": (
        "Run=ModuleRun pass_through=forward_pass draw_state expect_parts expect_gradients"
        " expect_same_tensors=expect_unchanged_tensors expect_forgotten=expect_stateless"
    ),
    "checking.two_orders": "alone=ask_alone",
    "checking.unwritten": "Unwritten=NotStarted",
    "diagnosis": (
        "Change Comparison Fact Family Hints Made=LibraryObject Misconception Mistakes Probe Recipe"
        " Step Trait chosen constant without"
    ),
    "diagnosis.comparison": "Comparison",
    "diagnosis.blueprint": "Blueprint=ModuleCaller InTensors=TensorCaller single=float32_probe",
    "report.digits": "index",
    "submission.markers": "TEXT_STUB",
    "text": "capital few is_plural one_line several",
}
PACKAGES = {"checking"}
FIELDS = {  # fields of a recipe that were renamed
    "styles": "alternatives",
    "called": "labels",
    "call": "caller",
    "by_answers": "fingerprints",
    "borrowed": "fallbacks",
}


def find_spec(name: str) -> ModuleSpec | None:
    """Return the import spec of a module's old name. For any other name, return None."""
    old = name.removeprefix("autograder.")
    if old not in NAMES and old not in PACKAGES:
        return None
    return ModuleSpec(name, _Loader(), is_package=old in PACKAGES)


class _Loader(Loader):
    """Loader of a module that looks up each name at its use."""

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:  # noqa: ARG002
        return None

    def exec_module(self, module: ModuleType) -> None:
        name = module.__name__
        setattr(module, "__getattr__", lambda wanted: old_name(name, wanted))  # noqa: B010


def old_name(module: str, wanted: str) -> Any:
    """Return the object for an old name of a module, with a warning.

    If the module had no public object with this name, raise an AttributeError.
    """
    pairs = NAMES.get(module.removeprefix("autograder."), "").split()
    names = {old: new or old for old, _, new in (pair.partition("=") for pair in pairs)}
    if wanted not in names:
        raise AttributeError(f"module {module!r} has no attribute {wanted!r}")
    new = names[wanted]
    warnings.warn(
        f"`from {module} import {wanted}` works in this version only; write `from {NEW} import "
        f"{new}`",
        DeprecationWarning,
        stacklevel=3,  # the line of the import
    )
    found = getattr(importlib.import_module(NEW), new)
    return ADAPTED[wanted](found) if wanted in ADAPTED else found


def _refusal(expect_error: Callable[..., None]) -> Callable[..., None]:
    def expect_refusal(run: Callable[[], Any], name: str, type: str, *rest: Any, **kw: Any) -> None:
        kw |= zip(("naming", "message"), rest, strict=False)
        expect_error(run, name=name, type=type, **kw)

    return expect_refusal


def _recipe(recipe: Callable[..., Any]) -> Callable[..., Any]:
    def old_recipe(*args: Any, **fields: Any) -> Any:
        return recipe(*args, **{FIELDS.get(name, name): each for name, each in fields.items()})

    return old_recipe


ADAPTED = {"expect_refusal": _refusal, "Recipe": _recipe}
