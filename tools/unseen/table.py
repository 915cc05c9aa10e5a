"""Markdown table of the verdicts on mutants."""

from collections import Counter
from collections.abc import Iterable, Sequence

from autograder.course.text import one_line
from tools.unseen.measure import VERDICTS, Unseen

COLUMNS = ("exercise", "mutants", "rejected", *VERDICTS, "named or right line")
NOTED = ("false", "differs")
HEAD = """\
`make unseen` changes correct answers, grades them, and counts the verdicts on the reports. [How the
grader is graded](verification.md#unknown-mistakes) explains the columns.
"""


def markdown(results: Sequence[Unseen], with_notes: bool = True) -> str:
    """Return two tables, for one change and for two, and each mutant with a false report."""
    parts = [HEAD, "One line changed:\n", *_table(results, single=True)]
    parts += ["\nTwo lines changed:\n", *_table(results, single=False)]
    if with_notes:
        parts += ["", "False reports:\n", *_notes(results, NOTED[:1])]
    return "\n".join(parts) + "\n"


def _table(results: Sequence[Unseen], single: bool) -> Iterable[str]:
    yield f"| {' | '.join(COLUMNS)} |"
    yield f"|{'---|' * len(COLUMNS)}"
    whole: Counter[str] = Counter()
    made = 0
    for each in results:
        counts = each.single if single else each.pair
        tried = each.mutants if single else each.pairs
        if tried:
            yield _row(each.name, tried, counts)
        whole.update(counts)
        made += tried
    yield _row("all", made, whole)


def _row(name: str, made: int, counts: Counter[str]) -> str:
    rejected = counts["rejected"]
    share = (counts["named"] + counts["right line"]) / rejected if rejected else 0.0
    cells = [name, str(made), str(rejected), *(str(counts[each]) for each in VERDICTS)]
    return f"| {' | '.join(cells)} | {f'{share:.1%}' if rejected else '–'} |"


def notes(results: Sequence[Unseen]) -> str:
    """Return each mutant whose report names neither the mistake nor the line, with this report."""
    return "\n".join(_notes(results, (*NOTED, "other line", "in words")))


def _notes(results: Sequence[Unseen], verdicts: Sequence[str]) -> Iterable[str]:
    for each in results:
        for said in each.said:
            if said.verdict in verdicts:
                code = one_line(" / ".join(said.code), 120)
                words = one_line(" | ".join(said.words), 400)
                lines = ", ".join(map(str, said.lines))
                search = "" if said.searched else ", no search for a repair"
                yield (
                    f"- `{each.name}`, `{said.origin}`, line {lines} ({said.verdict}{search}): "
                    f"`{code}`. The report says: {words}"
                )
