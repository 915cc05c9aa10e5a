"""YAML file as typed data. Errors name line, field and expected value."""

import re
import types
import typing
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import yaml

from autograder.course.errors import UserError
from autograder.course.text import nearest

YamlKey = str | int
Whole = TypeVar("Whole", bound=msgspec.Struct)


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """Loader of YAML that keeps dates as text, so that errors in dates can name the line."""

    yaml_implicit_resolvers = {
        first: [(tag, pattern) for tag, pattern in found if tag != "tag:yaml.org,2002:timestamp"]
        for first, found in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }


def read_yaml(
    path: Path, text: str, kind: type[Whole], prepared: Callable[[dict[object, object]], object]
) -> Whole:
    """Return a file's content as an object of type `kind`. First `prepared` converts the data.

    An error names the file, the line, the field and the expected value.
    """
    try:
        data = yaml.load(text, Loader=_Loader)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise UserError(f"{path}, line {line}: this is not valid YAML: {error.problem}.") from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise UserError(f"{path}: this is not valid YAML: {error}.") from error
    if not isinstance(data, dict):
        known = msgspec.structs.fields(kind)
        raise UserError(f"{path}: expected fields such as `{known[0].name}:`, found none.")
    try:
        return msgspec.convert(prepared(data), kind)
    except msgspec.ValidationError as error:
        raise _explained(path, text, kind, str(error)) from error


def yaml_error(
    path: Path, text: str, steps: Sequence[YamlKey], says: str, field: str = ""
) -> UserError:
    """Return an error about a node of a file."""
    node = yaml.compose(text, Loader=yaml.SafeLoader)
    assert node is not None
    line = node.start_mark.line
    for step in steps:
        children: dict[YamlKey, tuple[yaml.Node, yaml.Node]] = {}
        if isinstance(node, yaml.MappingNode):
            children = {key.value: (key, value) for key, value in node.value}
        elif isinstance(node, yaml.SequenceNode):
            children = {index: (value, value) for index, value in enumerate(node.value)}
        if step not in children:
            break
        place, node = children[step]
        line = place.start_mark.line
    named = f", field `{field}`" if field else ""
    return UserError(f"{path}, line {line + 1}{named}: {says}")


def _explained(path: Path, text: str, kind: Any, message: str) -> UserError:
    """Convert a message of msgspec to an error with line, field and expected value."""
    said, _, where = message.partition(" - at `")
    words = re.findall(r"[^.\[\]$]+", where.rstrip("`"))
    steps: list[YamlKey] = [int(word) if word.isdigit() else word for word in words]
    for step in steps:  # follow the steps to the type of the value
        of_items = typing.get_args(kind)
        kind = of_items[0] if isinstance(step, int) else typing.get_type_hints(kind)[step]
        if typing.get_origin(kind) in {typing.Union, types.UnionType}:
            kind = next(part for part in typing.get_args(kind) if part is not types.NoneType)
    if unknown := re.search(r"unknown field `(.*)`", said):
        name = unknown[1]
        known = [field.name for field in msgspec.structs.fields(kind)]
        near = nearest(name, known)
        expected = f"did you mean `{near}`?" if near else f"expected one of {', '.join(known)}"
        return yaml_error(path, text, [*steps, name], f"unknown field `{name}`; {expected}")
    if said.startswith("Invalid enum value"):
        expected = f"expected one of {', '.join(map(str, typing.get_args(kind)))}"
    elif kind is datetime and said.startswith(("Invalid RFC3339", "Expected `datetime")):
        expected = "expected a date and time such as 2027-02-05T23:59+01:00"
    else:
        expected = said[0].lower() + said[1:]
    field = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps)
    return yaml_error(path, text, steps, f"{expected}.", field.lstrip("."))
