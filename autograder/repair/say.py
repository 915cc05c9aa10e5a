"""What is said of repairs: what was tried and found, and never the edit."""

from autograder.repair.edits import Edit
from autograder.repair.search import Found
from autograder.report.model import Line, Repair
from autograder.submission.code import Definition
from autograder.text import one_and_other, one_line

# What all edits of a kind have in common, in words that do not give the edit away.
WORDS = {
    "axis": "another axis there",
    "transpose": "two axes exchanged there, or left as they are",
    "sign": "another sign there",
    "comparison": "another comparison there",
    "keepdims": "reduced axes kept or not kept there",
    "condition": "another condition there",
    "results": "other results there, or in another order",
    "off by one": "one more or one fewer there",
    "operator": "another operator there",
    "copy": "a copy there",
    "return": "something returned there",
    "operands": "two operands exchanged there",
    "constant": "another number or constant there",
    "function": "another function there",
    "arguments": "arguments in another order there",
    "call": "one call fewer there",
    "name": "another name there",
}
MOST_LINES = 3


def repair(found: Found) -> Repair | None:
    """What the edits that pass have in common; None if that is nothing worth saying."""
    if found.together:
        return _of_two(found)
    if not found.edits or not found.complete:
        return None
    if len({(edit.unit, edit.lines) for edit in found.edits}) > 1:
        return _of_function(found)
    return _of_lines(found)


def _passes(found: Found) -> str:
    """What is so with the edit."""
    if not found.functions:
        return "every check passes"
    names = [one_line(name, 60) for name in found.functions]
    return f"every check that is about {one_and_other(names)} alone passes"


def _of_two(found: Found) -> Repair | None:
    """Of two edits at once: both lines."""
    places = [
        Line(file=_label(found, edit), line=line) for edit in found.together for line in edit.at
    ]
    numbers = sorted({place.line for place in places})
    if not 1 < len(numbers) <= MOST_LINES:
        return None
    lines = one_and_other([*map(str, numbers)])
    files = dict.fromkeys(place.file for place in places)
    where = f" of {' and '.join(files)}" if len(found.trees) > 1 else ""
    return Repair(
        said=f"With changes in lines {lines}{where} together, {_passes(found)}.",
        places=tuple(sorted(places, key=lambda place: (place.file, place.line))),
    )


def _label(found: Found, edit: Edit) -> str:
    tree = found.trees[edit.unit]
    assert tree is not None
    return one_line(tree.label, 80)


def _of_function(found: Found) -> Repair | None:
    """Of edits in several lines: the function, if it is one."""
    names = {_function(found, edit) for edit in found.edits}
    name = names.pop() if len(names) == 1 else ""
    return Repair(said=f"With one small change in {name}, {_passes(found)}.") if name else None


def _of_lines(found: Found) -> Repair | None:
    edit = found.edits[0]
    lines = edit.at if found.one_kind else edit.lines
    if len(lines) > MOST_LINES:
        return _of_function(found)
    kind = edit.kind if found.one_kind else ""
    label = _label(found, edit)
    where = f"line {lines[0]}" if len(lines) == 1 else f"lines {one_and_other([*map(str, lines)])}"
    if len(found.trees) > 1:
        where += f" of {label}"
    change = "a change" if len(lines) == 1 else "the same change"
    words = f" ({WORDS[kind]})" if kind in WORDS else ""
    return Repair(
        said=f"With {change} in {where}{words}, {_passes(found)}.",
        kind=kind,
        places=tuple(Line(file=label, line=line) for line in lines),
    )


def _function(found: Found, edit: Edit) -> str:
    """The name of the outermost function or class that holds an edit."""
    tree = found.trees[edit.unit]
    assert tree is not None
    for node in tree.root.body:
        if not isinstance(node, Definition):
            continue
        if node.lineno <= edit.lines[0] <= (node.end_lineno or 0):
            return one_line(node.name, 60)
    return ""
