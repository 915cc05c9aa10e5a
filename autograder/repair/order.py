"""Which edits are tried first: fixed weights by kind, and by the lines that failing checks run."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from autograder.repair.edits import Edit
from autograder.repair.lines import Lines

AT_MOST = 500
NO_LINES: Lines = frozenset()
AGAIN = 0.93  # each further edit of a kind in a line: others get their turn

# How much each kind is worth beside the number of edits that it makes.
WORTH = {
    "axis": 5.0,
    "transpose": 4.5,
    "sign": 4.0,
    "comparison": 4.0,
    "keepdims": 4.0,
    "condition": 4.0,
    "results": 4.0,
    "off by one": 3.8,
    "operator": 3.6,
    "copy": 3.6,
    "return": 3.6,
    "operands": 3.2,
    "expression": 3.4,
    "leap": 3.0,
    "statement": 3.0,
    "call": 3.0,
    "constant": 2.6,
    "function": 2.6,
    "arguments": 2.6,
    "slice": 2.4,
    "term": 2.4,
    "parameters": 2.2,
    "sequence": 2.2,
    "index": 2.0,
    "name": 1.8,
    "keyword": 1.6,
    "type": 1.4,
    "loop": 1.0,
    "twice": 0.8,
}


class Suspects(NamedTuple):
    """What is known of the lines.

    Those that passing checks run as well are less likely to be wrong. Those in which an exception
    rose are more so, those that gave its names their values, and the one with the first value that
    no right answer has; of `fine` lines, right answers have all values.
    """

    also_passing: Lines = NO_LINES
    raised: Lines = NO_LINES
    feeding: Lines = NO_LINES
    departing: Lines = NO_LINES
    fine: Lines = NO_LINES

    def of(self, edit: Edit) -> float:
        """How much more an edit is worth for its lines."""
        places = {(edit.unit, line) for line in (*edit.lines, *edit.at)}
        value = 1.0
        for lines, factor in zip(self, FACTORS, strict=True):
            value *= factor if not places.isdisjoint(lines) else 1.0
        return value


FACTORS = (0.65, 2.2, 1.7, 2.5, 0.7)


def in_order(edits: Sequence[Edit], suspects: Suspects) -> list[Edit]:
    """The edits to try, best first, `AT_MOST` of them; the same input gives the same list."""

    def worth(edit: Edit) -> float:
        value = WORTH[edit.kind] * edit.weight * suspects.of(edit)
        return value * (1.2 if len(edit.spans) > 1 else 1.0)

    first = sorted(edits, key=lambda edit: (-worth(edit), edit.unit, edit.spans))
    so_far: Counter[tuple[str, int, tuple[int, ...]]] = Counter()
    ranked = []
    for edit in first:
        place = edit.kind, edit.unit, edit.lines
        ranked.append((-worth(edit) * AGAIN ** so_far[place], edit.unit, edit.spans, edit))
        so_far[place] += 1
    ranked.sort(key=lambda each: each[:3])
    return [each[3] for each in ranked[:AT_MOST]]
