"""YAML file as typed data. An error names the line, the field and the expected value."""

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
    """Loader of YAML that keeps dates as text, so that an error in a date can name its line."""

    yaml_implicit_resolvers = {
        first: [(tag, pattern) for tag, pattern in found if tag != "tag:yaml.org,2002:timestamp"]
        for first, found in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }


def read_yaml(
    path: Path, text: str, kind: type[Whole], prepared: Callable[[dict[object, object]], object]
) -> Whole:
    """Return the text of the file at `path` as a `kind`. `prepared` first converts the parsed data.

    Raises:
        UserError: it is invalid; the message names file, line, field and the expected value.
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
    """Return an error about a node of a file; `steps` are the keys and indices that lead to it.

    The error's line (from 1) is the line of the node, or of the nearest node above that exists.
    """
    node = yaml.compose(text, Loader=yaml.SafeLoader)
    assert node is not None
    line = node.start_mark.line
    for step in steps:
        found = None
        if isinstance(node, yaml.MappingNode):
            for key, value in node.value:
                if key.value == step:
                    found, line = value, key.start_mark.line
        elif isinstance(node, yaml.SequenceNode) and isinstance(step, int):
            found = node.value[step]
            line = found.start_mark.line
        if found is None:
            break
        node = found
    named = f", field `{field}`" if field else ""
    return UserError(f"{path}, line {line + 1}{named}: {says}")


def _explained(path: Path, text: str, kind: type, message: str) -> UserError:
    """Return an error with line, field and expected value for a message of msgspec."""
    said, _, where = message.partition(" - at `")
    steps: list[YamlKey] = [
        int(step) if step.isdigit() else step
        for step in re.findall(r"[^.\[\]$]+", where.rstrip("`"))
    ]
    unknown = re.search(r"unknown field `(.*)`", said)
    if unknown:
        field = unknown.group(1)
        known = [each.name for each in msgspec.structs.fields(_kind_at(kind, steps))]
        near = nearest(field, known)
        expected = f"did you mean `{near}`?" if near else f"expected one of {', '.join(known)}"
        return yaml_error(path, text, [*steps, field], f"unknown field `{field}`; {expected}")
    field = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps)
    expected = _expected(said, _kind_at(kind, steps))
    return yaml_error(path, text, steps, f"{expected}.", field.lstrip("."))


def _kind_at(kind: Any, steps: Sequence[YamlKey]) -> Any:
    """Return the type to which keys and indices lead."""
    for step in steps:
        if isinstance(step, int):
            kind = typing.get_args(kind)[0]
        else:
            kind = typing.get_type_hints(kind)[step]
        if typing.get_origin(kind) in {typing.Union, types.UnionType}:
            kind = next(each for each in typing.get_args(kind) if each is not types.NoneType)
    return kind


def _expected(said: str, kind: Any) -> str:
    """Return the value that msgspec expected. Add the choices if msgspec does not list them."""
    if said.startswith("Invalid enum value"):
        return f"expected one of {', '.join(map(str, typing.get_args(kind)))}"
    if kind is datetime and said.startswith(("Invalid RFC3339", "Expected `datetime")):
        return "expected a date and time such as 2027-02-05T23:59+01:00"
    return said[0].lower() + said[1:]
