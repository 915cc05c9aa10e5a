"""Sentences about the results of a search for repairs. They never show an edit."""

from collections.abc import Collection, Iterable, Sequence

import msgspec

from autograder.course.text import capital, join_names, one_line
from autograder.diagnosis.repair.edits import KINDS, NO_LINES, Edit, edits
from autograder.diagnosis.repair.traces import Lines
from autograder.diagnosis.repair.tree import Tree
from autograder.report.model import Line, Repair
from autograder.submission.code import Definition

MOST_LINES = 3
EITHER = "either"  # edits in different lines, of which any single one is enough
RUNS = "runs"  # no edit was found; the lines that run only in failing checks
DEPARTS = "departs"  # no edit was found; the line with the first unknown value


class Found(msgspec.Struct, frozen=True):
    """Result of a search for repairs.

    Each of the `edits` makes all checks pass. The two edits in `together` make all checks pass only
    if both are made. If only some checks were repaired, `functions` has the functions that these
    checks test.
    """

    edits: tuple[Edit, ...]
    trees: tuple[Tree | None, ...]
    one_kind: bool = True  # false if edits of other kinds in the same lines seem to work too
    together: tuple[Edit, ...] = ()
    functions: tuple[str, ...] = ()
    departing: Lines = NO_LINES  # line with the first value that no correct answer computes
    only_failing: Lines = NO_LINES  # lines that run only in failing checks

    def tree(self, unit: int) -> Tree:
        tree = self.trees[unit]
        assert tree is not None
        return tree

    def label(self, unit: int) -> str:
        return one_line(self.tree(unit).label, 80)

    def where(self, unit: int, numbers: Collection[int]) -> str:
        """Return `line 3` or `lines 3 and 4`. If there are several files, add the file's name."""
        where = f"line{'s' * (len(numbers) > 1)} {join_names([*map(str, numbers)])}"
        return f"{where} of {self.label(unit)}" if len(self.trees) > 1 else where

    def repair(self, said: str, places: Iterable[tuple[int, int]], kind: str = "") -> Repair:
        lines = (
            Line(
                file=self.label(unit), line=number, text=one_line(self.tree(unit).line(number), 120)
            )
            for unit, number in places
        )
        return Repair(said=said, kind=kind, places=tuple(lines))


def describe_repair(found: Sequence[Found], shown_only: bool = False) -> Repair | None:
    """Return the sentences for searches about different functions, if there are any.

    `shown_only` is true if hidden checks were not run, as in a released course.
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
    passes = "every visible check" if shown_only else "every check"
    if found.functions:
        names = join_names([one_line(name, 60) for name in found.functions])
        passes = f"{passes} that tests only {names}"
    if found.together:
        return _of_two(found, passes)
    if not found.edits:
        return _of_lines_alone(found)
    return _of_edits(found, passes)


def _of_edits(found: Found, passes: str) -> Repair | None:
    """Return a sentence about single edits that are repairs, or None for too many lines."""
    changes = _without_conversions(found.edits)
    places = {(edit.unit, line) for edit in changes for line in edit.lines}
    if len({(edit.unit, edit.lines) for edit in changes}) > 1:
        if len(places) > MOST_LINES or any(len(edit.lines) > 1 for edit in changes):
            return _of_function(found, passes)
        lines = " or one in ".join(found.where(edit.unit, edit.lines) for edit in changes)
        return found.repair(f"A change in {lines} makes {passes} pass.", sorted(places), EITHER)
    edit = changes[0]
    numbers, kind = edit.at if found.one_kind else edit.lines, _certain_kind(found, edit)
    if len(numbers) > MOST_LINES:
        return _of_function(found, passes)
    change = "A change" if len(numbers) == 1 else "The same change"
    words = KINDS[kind][1] if kind else ""
    said = f"{change} in {found.where(edit.unit, numbers)}{f' ({words})' if words else ''}"
    return found.repair(f"{said} makes {passes} pass.", [(edit.unit, n) for n in numbers], kind)


def _without_conversions(found: Sequence[Edit]) -> list[Edit]:
    """Return the edits in order, without inserted conversions if others remain."""
    replacing = [edit for edit in found if any(span.start < span.end for span in edit.spans)]
    return sorted(replacing or found, key=lambda edit: (edit.unit, edit.lines))


def _certain_kind(found: Found, edit: Edit) -> str:
    """Return the kind of an edit, or "" if other edits of this kind may be no repairs."""
    if not found.one_kind or len(found.edits) > 1 or len(edit.spans) > len(edit.at):
        return ""
    if edit.kind == "call":
        others = edits(found.trees, Lines((edit.unit, line) for line in edit.lines))
        return edit.kind if sum(other.kind == "call" for other in others) == 1 else ""
    return edit.kind


def _of_two(found: Found, passes: str) -> Repair | None:
    places = sorted((edit.unit, line) for edit in found.together for line in edit.at)
    numbers = sorted({line for _, line in places})
    if not 1 < len(numbers) <= MOST_LINES:
        return None
    files = dict.fromkeys(found.label(edit.unit) for edit in found.together)
    where = f" of {' and '.join(files)}" if len(found.trees) > 1 else ""
    lines = join_names([*map(str, numbers)])
    return found.repair(f"Changes in lines {lines}{where} together make {passes} pass.", places)


def _of_lines_alone(found: Found) -> Repair | None:
    departs = (
        "{} is the first to compute an array whose numbers no known correct solution computes."
    )
    runs = "Only failing checks run {}."
    for lines, kind, text in (found.departing, DEPARTS, departs), (found.only_failing, RUNS, runs):
        units = {unit for unit, _ in lines}
        if len(units) == 1 and len(lines) <= MOST_LINES:
            where = found.where(units.pop(), sorted(line for _, line in lines))
            return found.repair(capital(text.format(where)), sorted(lines), kind)
    return None


def _of_function(found: Found, passes: str) -> Repair | None:
    """Return a sentence that names the function or class of all edits, if there is one."""
    names = set()
    for edit in found.edits:
        around = (
            node.name
            for node in found.tree(edit.unit).root.body
            if isinstance(node, Definition)
            and node.lineno <= edit.lines[0] <= (node.end_lineno or 0)
        )
        names.add(one_line(next(around, ""), 60))
    name = names.pop() if len(names) == 1 else ""
    return Repair(said=f"One small change in {name} makes {passes} pass.") if name else None
