"""What was verified, as a table for people."""

from collections.abc import Sequence

from autograder.verification.verify import Verified

COLUMNS = (
    "exercise",
    "checks",
    "right answers",
    "misconceptions named",
    "pairs, one named",
    "both named",
    "mutants rejected",
    "equivalent",
    "seeds",
    "ms",
)


def row(verified: Verified) -> list[str]:
    """One exercise's cells, in the order of `COLUMNS`."""
    return [
        verified.name,
        str(verified.checks),
        str(verified.right),
        f"{verified.named} of {verified.misconceptions}",
        _share(verified.pairs_named, verified.pairs),
        _share(verified.pairs_both, verified.pairs),
        f"{verified.rejected} of {verified.mutants}",
        str(verified.equivalent),
        str(verified.seeds),
        f"{verified.milliseconds:.0f}",
    ]


def markdown(results: Sequence[Verified]) -> str:
    """The table, and what does not hold, as Markdown."""
    lines = [f"| {' | '.join(COLUMNS)} |", f"|{'---|' * len(COLUMNS)}"]
    lines += [f"| {' | '.join(row(verified))} |" for verified in results]
    for verified in results:
        lines += [f"- {verified.name}: {text}" for text in verified.faults]
    return "\n".join(lines) + "\n"


def _share(part: int, whole: int) -> str:
    return f"{part} of {whole} ({part / whole:.0%})" if whole else "–"
