"""Sentences about the results of a search for repairs. A sentence never shows the edit."""

from collections.abc import Sequence

import msgspec

from autograder.course.text import capital, join_names, one_line
from autograder.diagnosis.repair.edits import NO_LINES, Edit
from autograder.diagnosis.repair.traces import Lines
from autograder.diagnosis.repair.tree import Tree
from autograder.report.model import Line, Repair
from autograder.submission.code import Definition

# A phrase for each kind of edit. It does not tell the student the edit itself.
WORDS = {
    "axis": "another axis there, or none",
    "kept axis": "another axis there, with keepdims",
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
    "names": "two names exchanged there",
    "call": "one call fewer there",
    "name": "another name there",
}
MOST_LINES = 3
EITHER = "either"  # edits in different lines, of which any single one is enough
RUNS = "runs"  # no edit was found; the lines that only failing checks run
DEPARTS = "departs"  # no edit was found; the line with the first unknown value


class Found(msgspec.Struct, frozen=True):
    """Result of a search for repairs.

    After each of the `edits`, or after the two edits `together`, all checks pass. `one_kind` is
    false if edits of other kinds in the same lines seem to work too. If only some checks were
    repaired, `functions` has the functions that these checks test. `departing` is the line that
    computes the first value which no correct answer computes. `only_failing` has the lines that
    failing checks run and no passing check runs.
    """

    edits: tuple[Edit, ...]
    trees: tuple[Tree | None, ...]
    one_kind: bool = True
    together: tuple[Edit, ...] = ()
    functions: tuple[str, ...] = ()
    departing: Lines = NO_LINES
    only_failing: Lines = NO_LINES


def describe_repair(found: Sequence[Found], shown_only: bool = False) -> Repair | None:
    """Return the sentences for the results of one or several searches; None without sentences.

    If there are several results, each result is about other functions. `shown_only` is true if only
    visible checks were run, as in a released course.
    """
    described = [_describe(result, shown_only) for result in found]
    repairs = [repair for repair in described if repair is not None]
    if len(repairs) <= 1:
        return repairs[0] if repairs else None
    return Repair(
        said=" ".join(dict.fromkeys(repair.said for repair in repairs)),
        places=tuple(dict.fromkeys(place for repair in repairs for place in repair.places)),
    )


def _describe(found: Found, shown_only: bool) -> Repair | None:
    """Return a sentence about the lines of all passing edits, or None if the lines are too many."""
    passes = "every visible check" if shown_only else "every check"
    if found.functions:
        names = join_names([one_line(name, 60) for name in found.functions])
        passes = f"{passes} that tests only {names}"
    if found.together:
        return _of_two(found, passes)
    if not found.edits:
        return _of_lines_alone(found)
    if len({(edit.unit, edit.lines) for edit in found.edits}) > 1:
        return _of_either(found, passes) or _of_function(found, passes)
    return _of_lines(found, passes)


def _of_two(found: Found, passes: str) -> Repair | None:
    """Return a sentence with the lines of two edits that are enough together, or None."""
    places = sorted((edit.unit, line) for edit in found.together for line in edit.at)
    numbers = sorted({line for _, line in places})
    if not 1 < len(numbers) <= MOST_LINES:
        return None
    files = dict.fromkeys(_label(found, edit.unit) for edit in found.together)
    where = f" of {' and '.join(files)}" if len(found.trees) > 1 else ""
    lines = join_names([*map(str, numbers)])
    return Repair(
        said=f"Changes in lines {lines}{where} together make {passes} pass.",
        places=tuple(_line(found, *place) for place in places),
    )


def _of_lines_alone(found: Found) -> Repair | None:
    """Return a sentence with lines that may be wrong, for a search that found no passing edit."""
    departs = "{} is the first to compute a value that no known correct solution computes."
    runs = "Only failing checks run {}."
    for lines, kind, text in (found.departing, DEPARTS, departs), (found.only_failing, RUNS, runs):
        units = {unit for unit, _ in lines}
        numbers = sorted(line for _, line in lines)
        if len(units) == 1 and len(numbers) <= MOST_LINES:
            unit = units.pop()
            places = tuple(_line(found, unit, number) for number in numbers)
            said = capital(text.format(_where(found, _label(found, unit), numbers)))
            return Repair(said=said, kind=kind, places=places)
    return None


def _where(found: Found, label: str, numbers: Sequence[int]) -> str:
    """Return `line 3` or `lines 3 and 4`, with the name of the file if there are several files."""
    where = f"line{'s' * (len(numbers) > 1)} {join_names([*map(str, numbers)])}"
    return f"{where} of {label}" if len(found.trees) > 1 else where


def _label(found: Found, number: int) -> str:
    tree = found.trees[number]
    assert tree is not None
    return one_line(tree.label, 80)


def _line(found: Found, number: int, line: int) -> Line:
    """Return a line of a unit, with its text."""
    tree = found.trees[number]
    assert tree is not None
    return Line(file=_label(found, number), line=line, text=one_line(tree.line(line), 120))


def _of_either(found: Found, passes: str) -> Repair | None:
    """Return a sentence with the lines of edits that work alone, or None for too many lines."""
    edits = sorted(found.edits, key=lambda edit: (edit.unit, edit.lines))
    places = {(edit.unit, line) for edit in edits for line in edit.lines}
    if len(places) > MOST_LINES or any(len(edit.lines) > 1 for edit in edits):
        return None
    lines = [_where(found, _label(found, edit.unit), edit.lines) for edit in edits]
    return Repair(
        said=f"A change in {' or one in '.join(lines)} makes {passes} pass.",
        kind=EITHER,
        places=tuple(_line(found, *place) for place in sorted(places)),
    )


def _of_function(found: Found, passes: str) -> Repair | None:
    """Return a sentence that names the function or class that contains all edits, or None."""
    names = set()
    for edit in found.edits:
        tree = found.trees[edit.unit]
        assert tree is not None
        around = [
            node.name
            for node in tree.root.body
            if isinstance(node, Definition)
            and node.lineno <= edit.lines[0] <= (node.end_lineno or 0)
        ]
        names.add(one_line(around[0], 60) if around else "")
    name = names.pop() if len(names) == 1 else ""
    return Repair(said=f"One small change in {name} makes {passes} pass.") if name else None


def _of_lines(found: Found, passes: str) -> Repair | None:
    edit = found.edits[0]
    lines = edit.at if found.one_kind else edit.lines
    if len(lines) > MOST_LINES:
        return _of_function(found, passes)
    kind = edit.kind if found.one_kind else ""
    change = "A change" if len(lines) == 1 else "The same change"
    words = f" ({WORDS[kind]})" if kind in WORDS else ""
    where = _where(found, _label(found, edit.unit), lines)
    return Repair(
        said=f"{change} in {where}{words} makes {passes} pass.",
        kind=kind,
        places=tuple(_line(found, edit.unit, line) for line in lines),
    )
