"""What was said of mutants, as a table for people."""

from collections import Counter
from collections.abc import Iterable, Sequence

from autograder.course.text import one_line
from tools.unseen.measure import VERDICTS, Unseen

COLUMNS = ("exercise", "mutants", "rejected", *VERDICTS, "named or right line")
NOTED = ("false", "differs")


def markdown(results: Sequence[Unseen], with_notes: bool = True) -> str:
    """Two tables, of one change and of two; then each mutant of which something false is said."""
    parts = ["One line changed:\n", *_table(results, single=True)]
    parts += ["\nTwo lines changed:\n", *_table(results, single=False)]
    if with_notes:
        parts += ["", *_notes(results, NOTED[:1])]
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
    """Every mutant that has neither a name nor its line, with what was said of it."""
    return "\n".join(_notes(results, (*NOTED, "other line", "in words")))


def _notes(results: Sequence[Unseen], verdicts: Sequence[str]) -> Iterable[str]:
    for each in results:
        for said in each.said:
            if said.verdict in verdicts:
                code = one_line(" / ".join(said.code), 120)
                words = one_line(" | ".join(said.words), 400)
                yield (
                    f"- {said.verdict}{'' if said.searched else ' (not searched)'}: {each.name}, "
                    f"{said.origin}, {said.lines}: `{code}` {words}"
                )
