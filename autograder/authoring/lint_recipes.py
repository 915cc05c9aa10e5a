"""Lint of recipes and their misconceptions: wrong names and wrong types."""

import ast
import dataclasses
import inspect
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from autograder.course.authoring_errors import AuthoringError, CourseText, course_text, meant
from autograder.course.text import several
from autograder.diagnosis.mistakes import NAME, Mistakes
from autograder.diagnosis.outcome import Comparison
from autograder.diagnosis.recipe import RETURNED, Change, Fact, Family, Misconception, Recipe, Trait
from autograder.grading.author_exceptions import as_authoring_error

HINTS = 3
OWN_FUNCTIONS = {  # fields of `Mistakes`: number of arguments, description
    "explain_value": (3, "a function of a value's name, a reader of values, and a variant"),
    "simulated_values": (0, "a function without parameters"),
}
TUPLES: dict[str, tuple[Any, str]] = {  # fields of a recipe: type of the items, description
    "parameters": (str, "a tuple of names"),
    "results": (str, "a tuple of names"),
    "families": (Family, "a tuple of Family"),
    "traits": (Trait, "a tuple of Trait"),
    "facts": (Fact, "a tuple of Fact"),
    "alternatives": (Mapping, "a tuple of dicts of steps"),
}
RECIPE_FIELDS = [field.name for field in dataclasses.fields(Recipe)]
NamedErrors = Iterator[tuple[str, str]]  # the wrong word and the message, for each error


class Places:
    """Files that may contain an error in an exercise's misconceptions."""

    def __init__(self, module: ModuleType) -> None:
        self.path = Path(str(module.__file__))
        package = module.__name__.rpartition(".")[0]
        files = {
            name: Path(str(imported.__file__))
            for name, imported in list(sys.modules.items())
            if name.startswith(f"{package}.") and getattr(imported, "__file__", None)
        }
        own = {f for name, f in files.items() if f"{name}.".startswith(f"{module.__name__}.")}
        self.own = [self.path, *sorted(own - {self.path})]  # without shared files
        self._paths = dict.fromkeys([*self.own, *sorted(files.values())])

    def _texts(self) -> Iterator[CourseText]:
        return map(course_text, self._paths)

    def of_name(self, name: str, says: str) -> AuthoringError:
        """Return an error at the line that assigns a value to this name."""
        return AuthoringError(self.path, course_text(self.path).line_of_assignment(name), says)

    def of_word(self, word: str, says: str) -> AuthoringError:
        for text in self._texts():
            if line := _line_of(text.tree, word):
                return AuthoringError(text.path, line, says)
        return self.of_name(NAME, says)

    def of_recipe(self, function: str, says: str, word: str = "") -> AuthoringError:
        """Return an error in the call of `Recipe`, if possible at the line that contains a word."""
        for text in self._texts():
            for call in (node for node in ast.walk(text.tree) if isinstance(node, ast.Call)):
                by_name = dict(zip(RECIPE_FIELDS, call.args, strict=False))
                by_name |= {each.arg: each.value for each in call.keywords if each.arg}
                names = {getattr(by_name.get("of"), field, "") for field in ("value", "id", "attr")}
                if getattr(call.func, "id", "") == Recipe.__name__ and function in names:
                    line = _line_of(call, word) if word else 0
                    line = line or getattr(by_name.get(word), "lineno", call.lineno)
                    return AuthoringError(text.path, line, says)
        return self.of_word(word or function, says)

    def of_misconception(self, wrong: Change, says: str, word: str = "") -> AuthoringError:
        """Return an error in a mistake, if possible at the line that contains a word."""
        name = wrong.id if isinstance(wrong, Misconception) else ""
        texts = [*self._texts()] if name else []
        entries = [(text.path, entry) for text in texts for entry in _entries(text, name)]
        places = [(path, _line_of(tree, word)) for path, entry in entries for tree in entry if word]
        places += [(path, key.lineno) for path, (key, *_) in entries]
        places += [(text.path, _line_of(text.tree, name)) for text in texts]
        steps = wrong.replaces.values() if isinstance(wrong.replaces, Mapping) else ()
        codes = [step.__code__ for step in steps if hasattr(step, "__code__")]
        places += [(Path(code.co_filename), code.co_firstlineno) for code in codes]
        path, line = next((place for place in places if place[1]), (self.path, 1))
        return AuthoringError(path, line, says)


def _line_of(tree: ast.AST, word: str) -> int:
    lines = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and node.value == word:
            lines.append(node.lineno)
        elif isinstance(node, ast.keyword) and node.arg == word:
            lines.append(node.value.lineno)
    return min(lines, default=0)


def _entries(text: CourseText, name: str) -> Iterator[tuple[ast.Constant, ast.expr, ast.Call]]:
    for node in ast.walk(text.tree):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == Family.__name__:
            for table in (part for part in ast.walk(node) if isinstance(part, ast.Dict)):
                for key, value in zip(table.keys, table.values, strict=True):
                    if isinstance(key, ast.Constant) and key.value == name:
                        yield key, value, node


def errors_in_record(
    module: ModuleType, mistakes: Mistakes, places: Places
) -> Iterator[AuthoringError]:
    seen: set[str] = set()
    listed: tuple[Any, ...] = mistakes.listed
    for recipe in listed:
        if not isinstance(recipe, Recipe):
            says = f"`{NAME}` holds a {type(recipe).__name__}; expected a Recipe."
            yield places.of_name(NAME, says)
        elif recipe.function in seen:
            says = f"`{recipe.function}` has two recipes; expected one."
            yield places.of_recipe(recipe.function, says)
        else:
            seen.add(recipe.function)
    for name, (count, expected) in OWN_FUNCTIONS.items():
        function = getattr(mistakes, name)
        if function is None and name in vars(module):
            says = f"`{name}` is not in `{NAME}`, so it is never called; expected {name}={name}."
            yield places.of_name(name, says)
        if function is not None and not _takes(function, count):
            what = f"of type {type(function).__name__}"
            if inspect.isfunction(function):
                what = f"a function {inspect.signature(function)}"
            yield places.of_word(name, f"`{name}` is {what}; expected {expected}.")


def _takes(function: Any, count: int) -> bool:
    try:
        inspect.signature(function).bind(*range(count))
    except (TypeError, ValueError):
        return False
    return True


def errors_in_recipe(
    recipe: Recipe, places: Places, solution: Mapping[str, ast.AST] | None, folders: Sequence[Path]
) -> list[AuthoringError]:
    name = recipe.function
    if solution is not None and name not in solution:
        says = f"the solution has no function `{name}`{meant(name, solution)}"
        return [places.of_recipe(name, says)]
    errors = []
    for field, value, expected in _wrong_types(recipe):
        says = f"`{field}` is of type {type(value).__name__}; expected {expected}."
        errors.append(places.of_recipe(name, f"in the recipe of `{name}`, {says}", field))
    if errors:
        return errors
    known = [*recipe.steps, *recipe.parameters, RETURNED]
    for word, says in _wrong_parameters(recipe, None if solution is None else solution[name]):
        errors.append(places.of_recipe(name, f"in the recipe of `{name}`, {says}", word))
    for way in recipe.alternatives:
        for word, says in _wrong_steps(way, known, f"an alternative solution of `{name}`"):
            errors.append(places.of_word(word, says))
    errors += _repeated_keys(places)
    errors += _errors_in_families(recipe, known, places, folders)
    return errors


def _wrong_types(recipe: Any) -> Iterator[tuple[str, object, str]]:
    for field, (kind, expected) in TUPLES.items():
        values = getattr(recipe, field)
        if isinstance(values, str) or not isinstance(values, Iterable):
            yield field, values, expected
        elif odd := [value for value in values if not isinstance(value, kind)]:
            yield field, values if kind is str else odd[0], expected
    for field in ("steps", "defaults"):
        value = getattr(recipe, field)
        if not isinstance(value, Mapping) or not all(isinstance(name, str) for name in value):
            yield field, value, "a dict by name"
    if not isinstance(recipe.comparison, Comparison):
        yield "comparison", recipe.comparison, "a Comparison"
    for field, value in _functions(recipe).items():
        if not callable(value):
            yield field, value, "a function"


def _functions(recipe: Any) -> dict[str, object]:
    functions = {"probes": recipe.probes, "axes": recipe.axes}
    if isinstance(recipe.steps, Mapping):
        functions |= {f"steps[{step!r}]": does for step, does in recipe.steps.items()}
    if isinstance(recipe.comparison, Comparison):
        optional = {field: getattr(recipe.comparison, field) for field in ("sample", "spread")}
        functions |= {field: value for field, value in optional.items() if value is not None}
        functions["read"] = recipe.comparison.read
    return functions


def _wrong_parameters(recipe: Recipe, solution: ast.AST | None) -> NamedErrors:
    for name in recipe.defaults:
        if name not in recipe.parameters:
            near = meant(name, recipe.parameters)
            yield name, f"`defaults` has `{name}`, which is not a parameter{near}"
    if isinstance(solution, ast.FunctionDef) and recipe.caller is None:
        args = solution.args
        own = [each.arg for each in (*args.posonlyargs, *args.args, *args.kwonlyargs)]
        for name in recipe.parameters:
            if name not in own and args.kwarg is None and args.vararg is None:
                yield name, f"the solution's function has no parameter `{name}`{meant(name, own)}"
    if not recipe.steps:
        yield recipe.function, "`steps` is empty."
    for name in recipe.steps:
        if name in recipe.parameters:
            yield name, f"the step `{name}` has the name of a parameter; give it another name."
    for name in recipe.results:
        if recipe.results.count(name) > 1:
            yield name, f"two `results` have the name `{name}`; give each its own name."


def _wrong_steps(steps: Mapping[str, Any], known: Sequence[str], what: str) -> NamedErrors:
    for name, does in steps.items():
        if name not in known:
            near = meant(str(name), known)
            yield str(name), f"{what} replaces `{name}`, which is not a step or parameter{near}"
        elif not callable(does):
            kind = type(does).__name__
            yield str(name), f"{what} has a {kind} for `{name}`; expected a function."


def _repeated_keys(places: Places) -> Iterator[AuthoringError]:
    """Yield an error for each repeated key of a dict, because Python keeps only its last value."""
    for text in map(course_text, places.own):
        for table in (node for node in ast.walk(text.tree) if isinstance(node, ast.Dict)):
            seen: set[object] = set()
            for key in (key for key in table.keys if isinstance(key, ast.Constant)):
                if key.value in seen:
                    says = f"`{key.value!s}` occurs twice in one dict; Python keeps only the last."
                    yield AuthoringError(text.path, key.lineno, says)
                seen.add(key.value)


def _errors_in_families(
    recipe: Recipe, known: Sequence[str], places: Places, folders: Sequence[Path]
) -> Iterator[AuthoringError]:
    by_name: dict[str, list[Misconception]] = {}
    families: Any = recipe.families
    for family in families:
        if wrong_shapes := [*_wrong_shape(family)]:
            yield from (places.of_word(word, says) for word, says in wrong_shapes)
            continue
        try:
            misconceptions = family.misconceptions
        except Exception as error:
            name = next(iter(family.ways))
            place = places.of_word(name, "")
            doing = f"the changes of the family with `{name}` cannot be made"
            yield as_authoring_error(error, folders, place.path, doing, place.line)
            continue
        yield from (places.of_word(word, says) for word, says in _wrong_texts(family))
        for wrong in misconceptions:
            what = f"the misconception `{wrong.id}` of `{recipe.function}`"
            for word, says in _wrong_replacements(wrong, known, what):
                yield places.of_misconception(wrong, says, word)
            others = by_name.setdefault(wrong.id, [])
            # entries for the same mistake share the finding, the hints or the steps
            if any(
                wrong.finding != other.finding
                and wrong.hints != other.hints
                and set(wrong.replaces) != set(other.replaces)
                for other in others
            ):
                says = (
                    f"another mistake of `{recipe.function}` has the name `{wrong.id}`, with other "
                    f"hints and other steps; give each mistake another name."
                )
                yield places.of_misconception(wrong, says)
            others.append(wrong)


def _wrong_shape(family: Family) -> NamedErrors:
    if not isinstance(family.ways, Mapping) or not family.ways:
        says = f"expected a dict for the `ways` of the family of `{family.target}`."
        yield str(family.target), says
        return
    for name, ways in family.ways.items():
        if not isinstance(name, str) or not name:
            yield str(name), f"a mistake has the name {name!r}; expected a text."
        for way in ways if isinstance(ways, list) else [ways]:
            if not isinstance(way, tuple) or len(way) < 2 or not isinstance(way[0], str):
                yield str(name), f"expected (finding, change, …) for the mistake `{name}`."


def _wrong_texts(family: Family) -> NamedErrors:
    first, hints = next(iter(family.ways)), family.hints or ()
    if isinstance(hints, str) or not all(isinstance(hint, str) for hint in hints):
        yield first, f"expected a tuple of three texts as the hints of `{first}`."
    elif hints and len([hint for hint in hints if hint.strip()]) != HINTS:
        yield first, f"`{first}` has {several(len(hints), 'hint')}; expected three or none."
    for name, finding, _ in family.said():
        if not finding.strip():
            yield name, f"`{name}` has no text for its finding."


def _wrong_replacements(wrong: Misconception, known: Sequence[str], what: str) -> NamedErrors:
    if not wrong.replaces:
        yield "", f"{what} replaces nothing; give a dict of steps."
    if "" in wrong.replaces:
        says = "names no step; name one in its family, or give the change as a dict of steps."
        yield "", f"{what} {says}"
    else:
        yield from _wrong_steps(wrong.replaces, known, what)
