"""Choice of the file that is graded for an exercise, with notes on the others."""

from collections.abc import Collection, Sequence
from enum import IntEnum
from pathlib import Path

import msgspec

from autograder.course.text import few
from autograder.submission.code import Code
from autograder.submission.file_names import NameMatch
from autograder.submission.source import Source
from autograder.submission.stubs import Stub

MAX_SHOWN = 20
MAX_DEFINED = 3


class Rank(IntEnum):
    """Likelihood that a file is the answer that was meant; only the best are compared."""

    WRITTEN = 0
    BY_CONTENT = 1
    ODD = 2
    UNTOUCHED = 3
    BESIDE = 4


REASONS = {
    Rank.BY_CONTENT: "another file is named after the exercise",
    Rank.ODD: "what the exercise asks for is not in it, or not in Python that can be read",
    Rank.BESIDE: "nothing that the exercise asks for can be found in it",
}


class FoundFile(msgspec.Struct):
    """File that may be for an exercise; `trouble` says why it cannot be read.

    `uses` are the files beside it that it names; `defines` are the names by which it was
    recognised, where its own does not say what it is.
    """

    path: Path
    shown: str
    name: NameMatch
    source: Source | None = None
    code: Code = msgspec.field(default_factory=Code)
    trouble: str = ""
    not_python: bool = False
    uses: frozenset[str] = frozenset()
    defines: Sequence[str] = ()


class Choice(msgspec.Struct):
    """File that is graded, or why there is none, with notes."""

    chosen: FoundFile | None = None
    unclear: str = ""
    notes: list[str] = []
    untouched: list[str] = []


def choose(
    exercise: str,
    candidates: Sequence[FoundFile],
    stub: Stub | None,
    imported: Collection[Path] = (),
) -> Choice:
    """Return the candidate that is written, if there is one; of several equal ones the first.

    `imported` are the files, without their suffix, that files named after an exercise import.
    """
    left_out: list[str] = []
    ordered = sorted(candidates, key=lambda each: (each.name, each.shown))
    ordered = _without_helpers(ordered, exercise, imported, left_out)
    ordered = _without_users(ordered, exercise, stub, left_out)
    ranks = {each.path: _rank(each, stub) for each in ordered}
    best = min(ranks.values())
    first, *others = [each for each in ordered if ranks[each.path] == best]
    choice = Choice(first, notes=left_out)
    for each in ordered:
        rank = ranks[each.path]
        if rank == Rank.UNTOUCHED and each is not first:
            choice.untouched.append(each.shown)
        elif rank > best:
            why = each.trouble.rstrip(".") if each.trouble else REASONS.get(rank, "")
            choice.notes.append(f"{each.shown} was left out for {exercise}: {why}.")
    if best != Rank.UNTOUCHED:
        _settle_between(choice, first, others, exercise)
        if choice.chosen is None:
            return choice
    is_one_of_several = len(ordered) > 1 and best != Rank.UNTOUCHED and bool(choice.notes)
    choice.notes[:0] = _notes_on_chosen(first, exercise, is_one_of_several)
    return choice


def _notes_on_chosen(first: FoundFile, exercise: str, is_one_of_several: bool) -> list[str]:
    if first.name != NameMatch.EXACT and not first.trouble:
        by = f": it has {few(first.defines, MAX_DEFINED)}" if first.name == NameMatch.OTHER else ""
        return [f"{first.shown} was taken as {exercise}{by}."]
    return [f"{first.shown} was graded for {exercise}."] if is_one_of_several else []


def _settle_between(
    choice: Choice, first: FoundFile, others: Sequence[FoundFile], exercise: str
) -> None:
    """Keep the first of several equally likely files if all are the same, else none."""
    if all(_is_same(each, first) for each in others):
        choice.notes += [
            f"{each.shown} was left out for {exercise}: its code is that of {first.shown}."
            for each in others
        ]
    else:
        shown = few([each.shown for each in (first, *others)], MAX_SHOWN)
        choice.chosen, choice.unclear = None, f"There are several files for it: {shown}."


def _rank(candidate: FoundFile, stub: Stub | None) -> Rank:
    source = candidate.source
    if stub is None:  # its name is all there is to go by
        return Rank.WRITTEN if candidate.name == NameMatch.EXACT else Rank.BY_CONTENT
    if source is None:
        return Rank.ODD
    if stub.is_untouched(candidate.code, source.answers):
        return Rank.UNTOUCHED
    written = stub.written(candidate.code)
    if stub.asked and not written and not candidate.code.open:
        named = candidate.name == NameMatch.EXACT or candidate.code.broken
        return Rank.ODD if named else Rank.BESIDE
    if written and not any(candidate.code.names[name].tree for name in written):
        return Rank.ODD
    return Rank.WRITTEN if candidate.name <= NameMatch.WITHIN else Rank.BY_CONTENT


def _without_helpers(
    candidates: list[FoundFile], exercise: str, imported: Collection[Path], notes: list[str]
) -> list[FoundFile]:
    """Leave out files that others import, where one has the exercise's exact name."""
    if not any(each.name == NameMatch.EXACT for each in candidates):
        return candidates
    kept = []
    for each in candidates:
        if each.name != NameMatch.EXACT and each.path.with_suffix("") in imported:
            if each.name != NameMatch.OTHER:
                notes.append(f"{each.shown} was left out for {exercise}: other files import it.")
        else:
            kept.append(each)
    return kept


def _without_users(
    candidates: list[FoundFile], exercise: str, stub: Stub | None, notes: list[str]
) -> list[FoundFile]:
    """Leave out files that only import what another defines: `test_softmax`."""
    folders = {each.path.parent for each in candidates if each.name == NameMatch.EXACT}
    kept = []
    for each in candidates:
        bound = [each.code.names[name].tree for name in stub.written(each.code)] if stub else []
        imported = bool(bound) and all(tree.startswith("Import") for tree in bound)
        beside = each.name != NameMatch.EXACT and each.path.parent in folders
        if beside and imported and exercise in each.uses:
            if each.name != NameMatch.OTHER:
                notes.append(f"{each.shown} was left out for {exercise}, which it imports.")
        else:
            kept.append(each)
    return kept


def _is_same(one: FoundFile, other: FoundFile) -> bool:
    """Return whether it makes no difference which of the two is graded."""
    a, b = one.source, other.source
    if a is None or b is None:
        return False
    if (a.units, a.helpers, a.answers) == (b.units, b.helpers, b.answers):
        return True
    codes = one.code, other.code
    is_known = not any(code.broken or code.open for code in codes)
    same_code = is_known and codes[0].statements == codes[1].statements
    return same_code and (a.helpers, a.answers) == (b.helpers, b.answers)
