"""One exercise more in a `course.yml`, with everything else in it left as it is."""

import textwrap
from pathlib import Path

import yaml

from autograder.course import load_course, parse_course
from autograder.errors import UserError


def with_exercise(path: Path, entry: str) -> str:
    """The text of a `course.yml` with an entry after the last exercise.

    Raises:
        UserError: there is no way to add it that leaves the rest as it is; it says what to add.
    """
    before = load_course(path).content
    text = path.read_text(encoding="utf-8")
    exercises = _exercises(text)
    lines = text.splitlines()
    if not exercises.flow_style:
        indent = " " * exercises.start_mark.column
        end = _last_line(exercises.value[-1]) + 1
        blank = [""] if "" in lines[exercises.start_mark.line : end] else []
        new = [indent + line for line in textwrap.dedent(entry).splitlines()]
        changed = "\n".join([*lines[:end], *blank, *new, *lines[end:]]) + "\n"
        try:
            after = parse_course(path, changed).content
        except UserError:
            pass
        else:
            if after.exercises[:-1] == before.exercises and after.assignments == before.assignments:
                return changed
    raise UserError(
        f"{path} is written in a way that nothing can be added to. Add this to its `exercises:` "
        f"yourself, and run the command again:\n{entry}"
    )


def _exercises(text: str) -> yaml.SequenceNode:
    """The list of exercises of a course's file that is sound."""
    tree = yaml.compose(text, Loader=yaml.SafeLoader)
    assert isinstance(tree, yaml.MappingNode)
    found = next(value for key, value in tree.value if key.value == "exercises")
    assert isinstance(found, yaml.SequenceNode)
    return found


def _last_line(node: yaml.Node) -> int:
    """The line (from 0) on which a node ends, without the comments after it."""
    if isinstance(node, yaml.CollectionNode) and not node.flow_style and node.value:
        last = node.value[-1]
        return _last_line(last[1] if isinstance(last, tuple) else last)
    ends = node.end_mark
    return int(ends.line - (ends.column == 0 and ends.line > node.start_mark.line))
