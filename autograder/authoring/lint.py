"""Lint of a course: `build`, `check`, `grade` and `verify` refuse courses with authoring errors."""

import ast
import builtins
import importlib
import importlib.util
import os
import symtable
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from autograder.authoring.lint_recipes import Places, errors_in_recipe, errors_in_record
from autograder.checks.proxy import Submission
from autograder.course.authoring_errors import (
    AuthoringError,
    CourseText,
    Function,
    InvalidCourse,
    course_text,
    meant,
)
from autograder.course.course_file import Course, Exercise
from autograder.course.errors import UserError
from autograder.course.own_modules import importable
from autograder.course.text import nearest, several
from autograder.course.variants import tried_variants
from autograder.diagnosis.mistakes import (
    NAME,
    WrongMistakes,
    folder_of,
    known_mistakes,
    load_module,
    read_mistakes,
)
from autograder.diagnosis.recipe import (
    Alternative,
    Change,
    Misconception,
    Probe,
    Recipe,
    no_input_causes,
)
from autograder.grading.author_exceptions import as_authoring_error, modules_in, names_of
from autograder.grading.check_collection import errors_in_checks

ALIKE = 0.8
TORCH = "torch"
OWN_AT = {"expect_follows": 5, "expect_all_follow": 3}  # place of `own`
Definitions = Mapping[str, ast.AST]


def refuse_authoring_errors(course: Course, exercises: Sequence[Exercise]) -> None:
    """Raise `InvalidCourse` if files of these exercises have authoring errors.

    The function collects the checks, and runs the recipes on a few calls. It runs no submission. A
    released course raises a `UserError`.
    """
    if course.content.released is not None:
        raise UserError(f"{course.root} is a student kit without solutions. Use the full course.")
    with importable(course):
        errors = errors_in_checks(course, [exercise.name for exercise in exercises])
        if errors:
            raise InvalidCourse(errors)
        refuse_errors_in_code(course, exercises)


def refuse_errors_in_code(course: Course, exercises: Sequence[Exercise]) -> None:
    if course.content.released is not None:  # `release` refused its errors
        return
    errors: list[AuthoringError] = []
    modules: dict[str, ModuleType] = {}
    with importable(course):
        for exercise in exercises:
            errors += _errors_in_solution(course.solution_file(exercise.name))
            try:
                module = load_module(course.content.reference, exercise.name)
            except Exception as error:
                doing = f"the misconceptions of {exercise.name} cannot be loaded"
                path = _misconceptions_file(course, exercise.name)
                errors.append(as_authoring_error(error, course.grading, path, doing))
                continue
            if module is None:
                errors += _misnamed_file(course, exercise)
            else:
                modules[exercise.name] = module
        errors += _undefined_names(course.grading)
        for exercise in () if errors else exercises:
            errors += _errors_in_uses(course, exercise)
            if exercise.name in modules:
                errors += _errors_in_misconceptions(course, exercise, modules[exercise.name])
        if errors:
            raise InvalidCourse(errors)
        for exercise in exercises:
            if exercise.variant != "none" and course.solution_file(exercise.name).is_file():
                tried_variants(course, exercise)


def _errors_in_solution(path: Path) -> Iterator[AuthoringError]:
    """Yield an error if a solution is not valid Python or imports an unknown module."""
    if not path.is_file():
        return
    try:
        body = course_text(path).tree.body
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None) or 1
        yield as_authoring_error(error, (), path, "the solution is not valid Python", line)
        return
    for node in body:
        full = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            full = [node.module]
        for name in {each.partition(".")[0] for each in full} - {TORCH}:
            is_own = path.with_name(f"{name}.py").is_file()
            if not is_own and importlib.util.find_spec(name) is None:
                near = _near_name(name, [*sys.stdlib_module_names, *sys.modules])
                says = f"the solution imports `{name}`, which is not installed{near}"
                yield AuthoringError(path, node.lineno, says)


def _misconceptions_file(course: Course, exercise: str) -> Path:
    folder = course.root / course.content.reference / "misconceptions"
    package = folder / exercise / "__init__.py"
    return package if package.is_file() else folder / f"{exercise}.py"


def _misnamed_file(course: Course, exercise: Exercise) -> Iterator[AuthoringError]:
    folder = _misconceptions_file(course, exercise.name).parent
    others = {path.stem for path in folder.glob("[!_]*")} - set(course.exercises)
    near = nearest(exercise.name, sorted(others), ALIKE)
    if near:
        says = (
            f"this file belongs to no exercise, and `{exercise.name}` has no file of "
            f"misconceptions; did you mean `{exercise.name}`?"
        )
        yield AuthoringError(_misconceptions_file(course, near), 1, says)


def _errors_in_misconceptions(
    course: Course, exercise: Exercise, module: ModuleType
) -> list[AuthoringError]:
    places = Places(module)
    try:
        mistakes = read_mistakes(module)
    except WrongMistakes as wrong:
        return [places.of_name(NAME, f"`{NAME}` is not valid: {wrong}.")]
    if NAME not in vars(module):
        for name, value in vars(module).items():
            if not isinstance(value, type | ModuleType) and nearest(name.upper(), [NAME], ALIKE):
                return [places.of_name(name, f"nothing reads `{name}`; did you mean `{NAME}`?")]
        says = f"the file has no `{NAME}`, so it names no mistake."
        return [AuthoringError(places.path, 1, says)]
    errors = [*errors_in_record(module, mistakes, places)]
    if errors:
        return errors
    try:
        known_mistakes(course.content.reference, exercise.name)
    except Exception as error:
        doing = f"the mistakes of {exercise.name} that were named on the desk cannot be loaded"
        package = course.root / course.content.reference / "misconceptions"
        return [as_authoring_error(error, course.grading, folder_of(package, exercise.name), doing)]
    solution = _defined_in_solution(course, exercise)
    for recipe in mistakes.listed:
        errors += errors_in_recipe(recipe, places, solution, course.grading) or _errors_in_runs(
            recipe, places, course.grading
        )
    return errors


def _undefined_names(folders: Sequence[Path]) -> Iterator[AuthoringError]:
    below = tuple(f"{folder}{os.sep}" for folder in folders)
    modules = {}
    for module in list(sys.modules.values()):
        file = getattr(module, "__file__", None) or ""
        if file.endswith(".py") and file.startswith(below):
            modules[Path(file)] = module
    for path, module in sorted(modules.items()):
        tables = list(_below(symtable.symtable(course_text(path).text, str(path), "exec")))
        symbols = [(table, symbol) for table in tables for symbol in table.get_symbols()]
        known = {*vars(module), *dir(builtins)}
        known |= {s.get_name() for _, s in symbols if s.is_global() and s.is_assigned()}
        for table, symbol in symbols:
            if symbol.is_global() and symbol.is_referenced() and symbol.get_name() not in known:
                yield _undefined_name(path, table, symbol.get_name(), known)


def _undefined_name(
    path: Path, table: symtable.SymbolTable, name: str, known: set[str]
) -> AuthoringError:
    local = [symbol.get_name() for symbol in table.get_symbols() if symbol.is_local()]
    first = table.get_lineno()
    uses = (n for n in ast.walk(course_text(path).tree) if isinstance(n, ast.Name) and n.id == name)
    line = min((node.lineno for node in uses if node.lineno >= first), default=first)
    says = f"the name `{name}` is not defined{_near_name(name, [*local, *known])}"
    return AuthoringError(path, line, says)


def _near_name(name: str, known: Sequence[str]) -> str:
    near = nearest(name, sorted({each for each in known if not each.startswith("__")}))
    return f"; did you mean `{near}`?" if near else "."


def _below(table: symtable.SymbolTable) -> Iterator[symtable.SymbolTable]:
    for child in table.get_children():
        yield child
        yield from _below(child)


def _defined_in_solution(course: Course, exercise: Exercise) -> Definitions | None:
    """Return the solution's definitions by name. If `import *` hides names, return None."""
    try:
        tree = course_text(course.solution_file(exercise.name)).tree
    except (OSError, SyntaxError, ValueError):
        return None
    defined: dict[str, ast.AST] = {}
    for node in ast.walk(tree):
        names: list[str] = []
        if isinstance(node, Function | ast.ClassDef):
            names = [node.name]
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names = [alias.asname or alias.name.split(".")[0] for alias in node.names]
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names = [node.id]
        if "*" in names:
            return None
        defined |= dict.fromkeys(names, node)
    return defined


def _errors_in_uses(course: Course, exercise: Exercise) -> list[AuthoringError]:
    text = course_text(course.checks_file(exercise.name))
    solution = _defined_in_solution(course, exercise)
    errors: dict[AuthoringError, None] = {}
    for function in (each for each in ast.walk(text.tree) if isinstance(each, Function)):
        parameters = {argument.arg for argument in function.args.args}
        for node in ast.walk(function):
            says, line = "", getattr(node, "lineno", 0)
            match node:
                case ast.Attribute(value=ast.Name(id=fixture), attr=name) if fixture in parameters:
                    if fixture == "reference":
                        says = _unknown_in_reference(name, course.content.reference)
                    elif fixture == "submission":
                        says = _unknown_in_solution(name, solution)
                case ast.Call(
                    func=ast.Attribute(value=ast.Name(id="submission"), attr=method),
                    args=[ast.Constant(value=value, lineno=line), *_],
                ):
                    says = _unknown_value(method, str(value), exercise, solution)
            if says:
                errors[AuthoringError(text.path, line, says)] = None
    errors |= dict.fromkeys(_unfit_for_kits(course, text))
    if solution is not None:
        steps = {**solution, **dict.fromkeys(course.exercises, text.tree)}
        errors |= dict.fromkeys(_unknown_own_steps(text, steps))
    return list(errors)


def _unfit_for_kits(course: Course, text: CourseText) -> Iterator[AuthoringError]:
    """Yield an error for each use of the reference that is impossible in a student kit."""
    package, helpers = course.content.reference, course.content.helpers
    recorded: dict[str, str] = {}
    for node in ast.walk(text.tree):
        if not isinstance(node, ast.ImportFrom) or node.level or node.module is None:
            continue
        for name in {alias.name for alias in node.names} - {*helpers}:
            if node.module == package and f"{package}.{name}" in sys.modules:
                says = (
                    f"a student kit has no module `{name}`; "
                    f"write `from {package}.{name} import …`, with the names that you use."
                )
                yield AuthoringError(text.path, node.lineno, says)
        module = node.module.removeprefix(f"{package}.")
        if module != node.module and module not in helpers:
            recorded |= {alias.asname or alias.name: module for alias in node.names}
    yield from _unrecorded_calls(text, recorded)


def _unrecorded_calls(text: CourseText, recorded: Mapping[str, str]) -> Iterator[AuthoringError]:
    """Yield an error for each recorded function with `rng` or `submission` as an argument."""
    for call in (each for each in ast.walk(text.tree) if isinstance(each, ast.Call)):
        name = getattr(call.func, "id", "")
        arguments = (*call.args, *(keyword.value for keyword in call.keywords))
        given = {getattr(argument, "id", "") for argument in arguments} & {"rng", "submission"}
        if given and name in recorded:
            says = (
                f"a student kit cannot record the results of `{name}`, whose argument is "
                f"`{min(given)}`; list the module `{recorded[name]}` under `helpers` in course.yml."
            )
            yield AuthoringError(text.path, call.lineno, says)


def _unknown_own_steps(text: CourseText, known: Definitions) -> Iterator[AuthoringError]:
    for node in ast.walk(text.tree):
        place = OWN_AT.get(getattr(getattr(node, "func", None), "id", ""))
        if isinstance(node, ast.Call) and place is not None:
            named = [each.value for each in node.keywords if each.arg == "own"]
            for own in named or node.args[place : place + 1]:
                word = str(getattr(own, "value", ""))
                if word.isidentifier() and (says := _unknown_in_solution(word, known)):
                    yield AuthoringError(text.path, own.lineno, says)


def _unknown_in_reference(name: str, package: str) -> str:
    module = sys.modules.get(package) or importlib.import_module(package)
    if hasattr(module, name) or importlib.util.find_spec(f"{package}.{name}"):
        return ""
    near = _near_name(name, [*names_of(module), *modules_in(package)])
    return f"the reference, {package}/__init__.py, has no `{name}`{near}"


def _unknown_in_solution(name: str, solution: Definitions | None) -> str:
    if solution is None or name in {*solution, *dir(Submission)}:
        return ""
    return f"the solution has no `{name}`{_near_name(name, [*solution, *names_of(Submission)])}"


def _unknown_value(method: str, word: str, exercise: Exercise, solution: Definitions | None) -> str:
    questions = [question.name for question in exercise.questions]
    if method == "answer" and word not in questions:
        return f"course.yml has no question `{word}`{meant(word, questions)}"
    if method in {"value", "kept_value"}:
        return _unknown_in_solution(word, solution)
    return ""


def _errors_in_runs(
    recipe: Recipe, places: Places, folders: Sequence[Path]
) -> list[AuthoringError]:
    """Run a recipe and its misconceptions, and return their errors.

    A misconception may rightly raise an error for some inputs. So an error counts only if all calls
    raise it, or if it cannot depend on inputs, such as an undefined name.
    """
    function = recipe.function

    def stopped(
        error: Exception, what: str, at: AuthoringError | None = None, when: str = ""
    ) -> AuthoringError:
        place = at or places.of_recipe(function, "")
        doing = f"{what} of `{function}` raises an error{when}"
        return as_authoring_error(error, folders, place.path, doing, place.line)

    with pytest.MonkeyPatch.context() as patch, np.errstate(all="ignore"):
        patch.setitem(sys.modules, TORCH, None)  # its import fails, because it takes seconds
        try:
            drawn = recipe.drawn(0)
            probes = list(drawn) if isinstance(drawn, Iterable) else drawn
        except Exception as error:
            return [stopped(error, "the function `probes`")]
        says = _errors_in_probes(recipe, probes)
        if says:
            says = f"the probes of `{function}`: {says}"
            return [places.of_recipe(function, says, "probes")]
        fault, state = _first_state(recipe, ())
        if fault is not None:
            return [stopped(fault, "a step of the recipe")]
        errors = []
        for what, call in _descriptions(recipe, state):
            try:
                call()
            except Exception as error:
                if not _is_torch(error) and no_input_causes(error):
                    errors.append(stopped(error, what))
        changes: list[Change] = [*map(Alternative, recipe.alternatives), *recipe.misconceptions]
        for change in () if errors else changes:
            fault, _ = _first_state(recipe, (change,))
            if fault is not None:
                name = "an alternative solution"
                if isinstance(change, Misconception):
                    name = f"the misconception `{change.id}`"
                every = "" if no_input_causes(fault) else " at every call"
                place = places.of_misconception(change, "")
                errors.append(stopped(fault, name, place, every))
        return errors


def _errors_in_probes(recipe: Recipe, probes: Any) -> str:
    listed = isinstance(probes, list) and all(isinstance(p, Probe | tuple) for p in probes)
    if not listed or not probes:
        return "expected a list with at least one Probe or tuple of arguments."
    for each in probes:
        probe = each if isinstance(each, Probe) else Probe(each)
        if len(probe.args) > len(recipe.parameters):
            count = several(len(probe.args), "argument")
            return f"one probe has {count} for {several(len(recipe.parameters), 'parameter')}."
        for name in probe.kwargs:
            if name not in recipe.parameters:
                return f"`{name}` is not a parameter{meant(name, recipe.parameters)}"
        for name in recipe.parameters[len(probe.args) :]:
            if name not in {*probe.kwargs, *recipe.defaults}:
                return f"one probe has no value for `{name}`, which has no default."
    return ""


def _descriptions(recipe: Recipe, state: Any) -> Iterator[tuple[str, Callable[[], Any]]]:
    if state is None:
        return
    yield "`axes`", partial(recipe.axes, state)
    for trait in recipe.traits:
        yield f"the trait {trait.when!r}", partial(trait.holds, state)
    for fact in recipe.facts:
        yield f"the fact `{fact.id}`", partial(fact.holds, state, state.result)
    if recipe.comparison.spread is not None:
        yield "`spread`", partial(recipe.comparison.spread, state)


def _first_state(recipe: Recipe, changes: Sequence[Change]) -> tuple[Exception | None, Any]:
    """Return (None, state) for the first call without an error."""
    first: Exception | None = None
    for probe in recipe.calls(0):
        try:
            return None, recipe.trace(probe, changes)
        except Exception as error:
            if _is_torch(error):
                return None, None
            if no_input_causes(error):
                return error, None
            first = first or error
    return first, None


def _is_torch(error: BaseException) -> bool:
    return isinstance(error, ImportError) and (error.name or "").split(".")[0] == TORCH
