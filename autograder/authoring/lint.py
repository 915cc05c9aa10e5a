"""All slips of some exercises: what `build`, `check`, `grade` and `verify` ask for first."""

from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

from autograder.authoring.lint_names import (
    Uses,
    defined_in_solution,
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
    """Do nothing, if the course's files for some exercises are as they must be.

    Checks are collected, recipes are run on a few calls; nothing of a submission is run.

    Raises:
        CourseSlips: they are not; it says where, which word, and what was probably meant.
    """
    if course.content.released is not None:
        raise UserError(
            f"{course.root} is a released course: some answers are not in it. Use the full one."
        )
    with importable(course):
        slips = errors_in_checks(course, [exercise.name for exercise in exercises])
        if slips:
            raise InvalidCourse(slips)
        refuse_errors_in_code(course, exercises)


def refuse_errors_in_code(course: Course, exercises: Sequence[Exercise]) -> None:
    """The same, where a judge has collected the checks and looked at their marks already.

    Raises:
        CourseSlips: something else than the marks is not as it must be.
    """
    if course.content.released is not None:  # refused, if need be, when it was released
        return
    with importable(course):
        slips = _slips_in_code(course, exercises)
    if slips:
        raise InvalidCourse(slips)


def _slips_in_code(course: Course, exercises: Sequence[Exercise]) -> list[AuthoringError]:
    slips: list[AuthoringError] = []
    modules = []
    for exercise in exercises:
        found = _loaded(course, exercise)
        slips += found if isinstance(found, list) else []
        modules.append(found)
    for path, module in loaded_modules(course.grading).items():
        slips += undefined_names(path, module)
    if slips:
        return slips
    for exercise, found in zip(exercises, modules, strict=True):
        slips += Uses(course, exercise).slips()
        if isinstance(found, ModuleType):
            slips += errors_in_misconceptions(course, exercise, found)
    return slips


def _loaded(course: Course, exercise: Exercise) -> ModuleType | list[AuthoringError]:
    """The module of an exercise's misconceptions, or why there is none."""
    folder = course.root / course.content.reference / "misconceptions"
    path = _file_of(folder, exercise.name)
    try:
        module = load_module(course.content.reference, exercise.name)
    except Exception as error:
        doing = f"the misconceptions of {exercise.name} cannot be loaded"
        return [as_authoring_error(error, course.grading, path, doing)]
    return module or _named_otherwise(course, exercise, folder)


def errors_in_misconceptions(
    course: Course, exercise: Exercise, module: ModuleType
) -> list[AuthoringError]:
    """The slips in the module of an exercise's misconceptions."""
    places = Places(module)
    try:
        mistakes = read_mistakes(module)
    except WrongMistakes as wrong:
        return [places.of_name(NAME, f"`{NAME}` is not as it must be: {wrong}.")]
    slips = _names(module, places) or errors_in_record(module, mistakes, places)
    slips = slips or _named_since(course, exercise)
    solution = defined_in_solution(course, exercise)
    for recipe in () if slips else mistakes.listed:
        found = errors_in_recipe(recipe, places, solution, course.grading)
        slips += found or errors_in_runs(recipe, places, course.grading)
    return slips


def _named_since(course: Course, exercise: Exercise) -> list[AuthoringError]:
    """What was named on the desk, and cannot be loaded."""
    package = course.root / course.content.reference / "misconceptions"
    try:
        known_mistakes(course.content.reference, exercise.name)
    except Exception as error:
        doing = f"what was named on the desk of {exercise.name} cannot be loaded"
        return [as_authoring_error(error, course.grading, folder_of(package, exercise.name), doing)]
    return []


def _file_of(folder: Path, exercise: str) -> Path:
    package = folder / exercise / "__init__.py"
    return package if package.is_file() else folder / f"{exercise}.py"


def _named_otherwise(course: Course, exercise: Exercise, folder: Path) -> list[AuthoringError]:
    """A file that has almost the exercise's name, where no file has it."""
    others = {path.stem for path in folder.glob("[!_]*")} if folder.is_dir() else set()
    near = nearest(exercise.name, sorted(others - set(course.exercises)), ALIKE)
    if not near:
        return []
    says = (
        f"there are no misconceptions {exercise.name}.py, and `{near}` is no exercise; "
        f"did you mean `{exercise.name}`?"
    )
    return [AuthoringError(_file_of(folder, near), 1, says)]


def _names(module: ModuleType, places: Places) -> list[AuthoringError]:
    """A name that is almost the one by which a module is read, where that one is not in it."""
    if NAME in vars(module):
        return []
    for name, value in vars(module).items():
        if not isinstance(value, type | ModuleType) and nearest(name.upper(), [NAME], ALIKE):
            return [places.of_name(name, f"`{name}` is not read; did you mean `{NAME}`?")]
    return [AuthoringError(places.path, 1, f"there is no {NAME} in it, so it names no mistake.")]
