"""Lint of a course: `build`, `check`, `grade` and `verify` refuse its authoring errors first."""

from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

from autograder.authoring.lint_names import (
    defined_in_solution,
    errors_in_uses,
    loaded_modules,
    undefined_names,
)
from autograder.authoring.lint_places import Places
from autograder.authoring.lint_recipes import errors_in_recipe, errors_in_record
from autograder.authoring.lint_runs import errors_in_runs
from autograder.course.authoring_errors import AuthoringError, InvalidCourse
from autograder.course.course_file import Course, Exercise
from autograder.course.errors import UserError
from autograder.course.own_modules import importable
from autograder.course.text import nearest
from autograder.diagnosis.mistakes import (
    NAME,
    WrongMistakes,
    folder_of,
    known_mistakes,
    load_module,
    read_mistakes,
)
from autograder.grading.author_exceptions import as_authoring_error
from autograder.grading.check_collection import errors_in_checks

ALIKE = 0.8


def refuse_authoring_errors(course: Course, exercises: Sequence[Exercise]) -> None:
    """Refuse a course whose files for some exercises are not as they must be.

    Checks are collected, recipes are run on a few calls; nothing of a submission is run.

    Raises:
        InvalidCourse: it says where, which word, and what was probably meant.
        UserError: the course is a released one.
    """
    if course.content.released is not None:
        raise UserError(
            f"{course.root} is a released course: some answers are not in it. Use the full one."
        )
    with importable(course):
        errors = errors_in_checks(course, [exercise.name for exercise in exercises])
        if errors:
            raise InvalidCourse(errors)
        refuse_errors_in_code(course, exercises)


def refuse_errors_in_code(course: Course, exercises: Sequence[Exercise]) -> None:
    """Do the same where a judge has collected the checks and looked at their marks already.

    Raises:
        InvalidCourse: something else than the marks is not as it must be.
    """
    if course.content.released is not None:  # refused, if need be, when it was released
        return
    errors: list[AuthoringError] = []
    modules: dict[str, ModuleType] = {}
    with importable(course):
        for exercise in exercises:
            found = _module_of(course, exercise)
            if isinstance(found, ModuleType):
                modules[exercise.name] = found
            elif found is not None:
                errors.append(found)
        for path, module in loaded_modules(course.grading).items():
            errors += undefined_names(path, module)
        for exercise in () if errors else exercises:
            errors += errors_in_uses(course, exercise)
            if exercise.name in modules:
                errors += errors_in_misconceptions(course, exercise, modules[exercise.name])
    if errors:
        raise InvalidCourse(errors)


def _module_of(course: Course, exercise: Exercise) -> ModuleType | AuthoringError | None:
    """Return the module of an exercise's misconceptions, why it cannot be loaded, or None."""
    folder = course.root / course.content.reference / "misconceptions"
    try:
        module = load_module(course.content.reference, exercise.name)
    except Exception as error:
        doing = f"the misconceptions of {exercise.name} cannot be loaded"
        path = _file_of(folder, exercise.name)
        return as_authoring_error(error, course.grading, path, doing)
    if module is not None:
        return module
    others = {path.stem for path in folder.glob("[!_]*")} if folder.is_dir() else set()
    near = nearest(exercise.name, sorted(others - set(course.exercises)), ALIKE)
    if not near:
        return None
    says = (
        f"there are no misconceptions {exercise.name}.py, and `{near}` is no exercise; "
        f"did you mean `{exercise.name}`?"
    )
    return AuthoringError(_file_of(folder, near), 1, says)


def _file_of(folder: Path, exercise: str) -> Path:
    package = folder / exercise / "__init__.py"
    return package if package.is_file() else folder / f"{exercise}.py"


def errors_in_misconceptions(
    course: Course, exercise: Exercise, module: ModuleType
) -> list[AuthoringError]:
    """Return the errors in the module of an exercise's misconceptions."""
    places = Places(module)
    try:
        mistakes = read_mistakes(module)
    except WrongMistakes as wrong:
        return [places.of_name(NAME, f"`{NAME}` is not as it must be: {wrong}.")]
    errors = _wrong_name(module, places) or [*errors_in_record(module, mistakes, places)]
    if errors:
        return errors
    try:
        known_mistakes(course.content.reference, exercise.name)
    except Exception as error:
        doing = f"what was named on the desk of {exercise.name} cannot be loaded"
        package = course.root / course.content.reference / "misconceptions"
        return [as_authoring_error(error, course.grading, folder_of(package, exercise.name), doing)]
    solution = defined_in_solution(course, exercise)
    for recipe in mistakes.listed:
        found = errors_in_recipe(recipe, places, solution, course.grading)
        errors += found or errors_in_runs(recipe, places, course.grading)
    return errors


def _wrong_name(module: ModuleType, places: Places) -> list[AuthoringError]:
    """Return the error that a module does not have the name by which it is read."""
    if NAME in vars(module):
        return []
    for name, value in vars(module).items():
        if not isinstance(value, type | ModuleType) and nearest(name.upper(), [NAME], ALIKE):
            return [places.of_name(name, f"`{name}` is not read; did you mean `{NAME}`?")]
    return [AuthoringError(places.path, 1, f"there is no {NAME} in it, so it names no mistake.")]
