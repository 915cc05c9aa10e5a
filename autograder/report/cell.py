"""The face of a report below a notebook's cell: what passed folded, with lines around it."""

from collections.abc import Iterator, Sequence

import msgspec

from autograder.report.html import exercise_html
from autograder.report.model import CheckReport, ExerciseReport
from autograder.report.terminal import exercise_lines
from autograder.report.wrap import StyledLine, plain
from autograder.text import several


def cell_faces(
    shown: ExerciseReport, first: Sequence[StyledLine] = (), last: Sequence[StyledLine] = ()
) -> tuple[str, str]:
    """A report that its student may see, as HTML and as text; lines come `first` and `last`."""
    open_ones, passed = folded(shown)
    lines = [*first, *exercise_lines(open_ones), *_folded_line(passed), *last]
    said = [[plain(line).strip() for line in some] for some in (first, last)]
    return exercise_html(open_ones, passed, *said), "\n".join(plain(line) for line in lines)


def folded(shown: ExerciseReport) -> tuple[ExerciseReport, tuple[CheckReport, ...]]:
    """The report without the checks that pass and have nothing to say, and these; two at least."""
    passed = tuple(each for each in shown.checks if each.outcome == "passed" and not each.note)
    if len(passed) < 2:
        return shown, ()
    rest = tuple(each for each in shown.checks if each not in passed)
    return msgspec.structs.replace(shown, checks=rest), passed


def _folded_line(passed: Sequence[CheckReport]) -> Iterator[StyledLine]:
    if passed:
        yield [(f"  ✓ {several(len(passed), 'check')} pass", "")]
