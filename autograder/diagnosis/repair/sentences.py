"""What is said of repairs: what was tried and found, and never the edit."""

from collections.abc import Sequence

from autograder.course.text import join_names, one_line
from autograder.diagnosis.repair.edits import Edit
from autograder.diagnosis.repair.search import Found
from autograder.diagnosis.repair.traces import Lines
from autograder.report.model import Line, Repair
from autograder.submission.code import Definition

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
EITHER = "either"  # the kind of what does in one line, and in another one too
RUNS = "runs"  # the kinds of what is no edit: lines that only checks run which fail,
DEPARTS = "departs"  # and the line with the first value that no right answer has


def describe_repair(found: Sequence[Found]) -> Repair | None:
    """What was found, of each function by itself where that is so; None if it is nothing."""
    said = [each for each in map(_describe, found) if each is not None]
    if len(said) <= 1:
        return said[0] if said else None
    return Repair(
        said=" ".join(dict.fromkeys(each.said for each in said)),
        places=tuple(dict.fromkeys(place for each in said for place in each.places)),
    )


def _describe(found: Found) -> Repair | None:
    """What the edits that pass have in common; None if that is nothing worth saying."""
    if found.together:
        return _of_two(found)
    if not found.edits:
        return _of_lines_alone(found)
    if not found.complete:
        return None
    if len({(edit.unit, edit.lines) for edit in found.edits}) > 1:
        return _of_either(found) or _of_function(found)
    return _of_lines(found)


def _passes(found: Found) -> str:
    """What is so with the edit."""
    if not found.functions:
        return "every check passes"
    names = [one_line(name, 60) for name in found.functions]
    return f"every check that is about {join_names(names)} alone passes"


def _of_two(found: Found) -> Repair | None:
    """Of two edits at once: both lines."""
    places = [
        Line(file=_label(found, edit), line=line) for edit in found.together for line in edit.at
    ]
    numbers = sorted({place.line for place in places})
    if not 1 < len(numbers) <= MOST_LINES:
        return None
    lines = _listed(numbers)
    files = dict.fromkeys(place.file for place in places)
    where = f" of {' and '.join(files)}" if len(found.trees) > 1 else ""
    return Repair(
        said=f"With changes in lines {lines}{where} together, {_passes(found)}.",
        places=tuple(sorted(places, key=lambda place: (place.file, place.line))),
    )


def _of_lines_alone(found: Found) -> Repair | None:
    """Of no edit at all: where the values leave those of right answers, or what alone runs."""
    said = "The first value that none of the right answers known to the course has is made in {}."
    return _of_few(found, found.departing, DEPARTS, said) or _of_few(
        found, found.only_failing, RUNS, "Of the checks, only those that fail run {}."
    )


def _of_few(found: Found, lines: Lines, kind: str, said: str) -> Repair | None:
    units = {unit for unit, _ in lines}
    numbers = sorted(line for _, line in lines)
    if len(units) != 1 or len(numbers) > MOST_LINES:
        return None
    label = _unit(found, units.pop())
    where = f"line {numbers[0]}" if len(numbers) == 1 else f"lines {_listed(numbers)}"
    where += f" of {label}" if len(found.trees) > 1 else ""
    places = tuple(Line(file=label, line=number) for number in numbers)
    return Repair(said=said.format(where), kind=kind, places=places)


def _listed(numbers: Sequence[int]) -> str:
    return join_names([*map(str, numbers)])


def _label(found: Found, edit: Edit) -> str:
    return _unit(found, edit.unit)


def _unit(found: Found, number: int) -> str:
    tree = found.trees[number]
    assert tree is not None
    return one_line(tree.label, 80)


def _of_either(found: Found) -> Repair | None:
    """Of edits in one line or another: these lines, if they are few."""
    edits = sorted(found.edits, key=lambda edit: (edit.unit, edit.lines))
    places = {Line(file=_label(found, each), line=line) for each in edits for line in each.lines}
    if len(places) > MOST_LINES or any(len(each.lines) > 1 for each in edits):
        return None
    files = len(found.trees) > 1
    lines = [f"line {e.lines[0]}{f' of {_label(found, e)}' if files else ''}" for e in edits]
    return Repair(
        said=f"With a change in {' or one in '.join(lines)}, {_passes(found)}.",
        kind=EITHER,
        places=tuple(sorted(places, key=lambda place: (place.file, place.line))),
    )


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
    where = f"line {lines[0]}" if len(lines) == 1 else f"lines {_listed(lines)}"
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
