"""`equivalent.yml`: the mutants that an author has found to be right as well."""

from collections.abc import Collection, Iterator
from pathlib import Path

import msgspec
import yaml

from autograder.errors import UserError
from autograder.lint.slip import meant

EQUIVALENT = "equivalent.yml"
FORM = "EXERCISE:, and under it a list of entries with `line:` and `reason:`"
FIELDS = ("line", "reason")


class Equivalent(msgspec.Struct, frozen=True):
    """A mutant that is right as well: the line after the mutation, and why it changes nothing."""

    line: str
    reason: str


def equivalents(solutions: Path, exercises: Collection[str]) -> dict[str, list[Equivalent]]:
    """The mutants that authors have found to be right, by exercise.

    Raises:
        UserError: the file is not what it should be; it names the line, and what was expected.
    """
    path = solutions / EQUIVALENT
    if not path.is_file():
        return {}
    try:
        tree = yaml.compose(path.read_text(encoding="utf-8"), Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise UserError(
            f"{path}, line {line}: this is not valid YAML: {error.problem}. A line of code stands "
            f"in single quotes, each ' in it twice."
        ) from None
    except (yaml.YAMLError, OSError, ValueError) as error:
        raise UserError(f"{path} cannot be read: {error}.") from None
    return _File(path, exercises).read(tree)


class _File:
    """The file's tree of nodes, which know their lines."""

    def __init__(self, path: Path, exercises: Collection[str]) -> None:
        self.path = path
        self.exercises = exercises

    def _wrong(self, node: yaml.Node, says: str) -> UserError:
        return UserError(f"{self.path}, line {node.start_mark.line + 1}: {says}")

    def read(self, tree: yaml.Node | None) -> dict[str, list[Equivalent]]:
        found: dict[str, list[Equivalent]] = {}
        if tree is None:
            return found
        if not isinstance(tree, yaml.MappingNode):
            raise self._wrong(tree, f"expected {FORM}.")
        for key, entries in tree.value:
            name = str(key.value)
            if name not in self.exercises:
                near = meant(name, self.exercises)
                raise self._wrong(key, f"`{name}` is no exercise of the course{near}")
            if not isinstance(entries, yaml.SequenceNode):
                raise self._wrong(key, f"`{name}` has no list; expected {FORM}.")
            found.setdefault(name, []).extend(self._entries(entries))
        return found

    def _entries(self, entries: yaml.SequenceNode) -> Iterator[Equivalent]:
        for entry in entries.value:
            if not isinstance(entry, yaml.MappingNode):
                raise self._wrong(entry, "an entry has no `line:` and `reason:`.")
            texts: dict[str, str] = {}
            for key, value in entry.value:
                name = str(key.value)
                if name not in FIELDS:
                    raise self._wrong(key, f"unknown field `{name}`{meant(name, FIELDS)}")
                if not isinstance(value, yaml.ScalarNode) or not value.value.strip():
                    raise self._wrong(value, f"`{name}` is no text.")
                texts[name] = value.value.strip()
            for name in FIELDS:
                if name not in texts:
                    raise self._wrong(entry, f"this entry has no `{name}:`.")
            yield Equivalent(texts["line"], texts["reason"])
