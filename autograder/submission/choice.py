"""Choice of the file that is graded for an exercise, with notes on the other files."""

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
    """Likelihood that a file is the intended answer, the likeliest first."""

    WRITTEN = 0
    BY_CONTENT = 1
    ODD = 2
    UNTOUCHED = 3
    BESIDE = 4


REASONS = {
    Rank.BY_CONTENT: "another file is named after the exercise",
    Rank.ODD: "it does not define what the exercise asks for, or it is not valid Python",
    Rank.BESIDE: "it defines nothing that the exercise asks for",
}


class FoundFile(msgspec.Struct):
    """File that may answer an exercise; `trouble` is the reason why it cannot be read.

    `uses` has the names of neighbouring files that it mentions. `defines` has the names by which it
    was recognised if its file name does not match an exercise.
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
    """File that is graded, or the reason why no file is, with notes.

    `several` has the files that are equally likely, if the intended one is unknown. `untouched`
    names the other files that are still as handed out; `is_untouched` says whether the chosen file
    is.
    """

    chosen: FoundFile | None = None
    unclear: str = ""
    several: Sequence[FoundFile] = ()
    notes: list[str] = []
    untouched: list[str] = []
    is_untouched: bool = False


def choose(
    exercise: str,
    candidates: Sequence[FoundFile],
    stub: Stub | None,
    imported: Collection[Path] = (),
) -> Choice:
    """Return the likeliest candidate, or no file if several differ and are equally likely.

    `imported` has the paths, without suffix, that files named after an exercise import.
    """
    left_out: list[str] = []
    ordered = sorted(candidates, key=lambda each: (each.name, each.shown))
    ordered = _without_neighbours(ordered, exercise, imported, stub, left_out)
    ranks = {each.path: _rank(each, stub) for each in ordered}
    best = min(ranks.values())
    first, *others = [each for each in ordered if ranks[each.path] == best]
    choice = Choice(first, notes=left_out, is_untouched=best == Rank.UNTOUCHED)
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
        return [f"{first.shown} was graded for {exercise}{by}."]
    return [f"{first.shown} was graded for {exercise}."] if is_one_of_several else []


def _settle_between(
    choice: Choice, first: FoundFile, others: Sequence[FoundFile], exercise: str
) -> None:
    """Keep the first of several equally likely files if all are the same; otherwise choose none."""
    if all(_is_same(each, first) for each in others):
        choice.notes += [
            f"{each.shown} was left out for {exercise}: it has the same code as {first.shown}."
            for each in others
        ]
    else:
        shown = few([each.shown for each in (first, *others)], MAX_SHOWN)
        choice.chosen, choice.unclear = None, f"There are several files for {exercise}: {shown}."
        choice.several = (first, *others)


def _rank(candidate: FoundFile, stub: Stub | None) -> Rank:
    source = candidate.source
    if stub is None:  # only the file name can decide
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


def _without_neighbours(
    candidates: list[FoundFile],
    exercise: str,
    imported: Collection[Path],
    stub: Stub | None,
    notes: list[str],
) -> list[FoundFile]:
    """Leave out files that only import the exercise's file, or that exact matches import."""
    exact = [file for file in candidates if file.name == NameMatch.EXACT]
    if exact:
        helpers = {file.path for file in candidates if file.path.with_suffix("") in imported}
        why = f"was left out for {exercise}: other files import it."
        candidates = _without(candidates, helpers, why, notes)
    folders = {file.path.parent for file in exact}
    users = set()
    for file in candidates:
        if stub and file.path.parent in folders and exercise in file.uses:
            bound = [file.code.names[name] for name in stub.written(file.code)]
            if bound and all(each.is_import for each in bound):  # such as `test_softmax`
                users.add(file.path)
    return _without(
        candidates, users, f"was left out for {exercise}: it only imports that file.", notes
    )


def _without(
    candidates: list[FoundFile], paths: Collection[Path], why: str, notes: list[str]
) -> list[FoundFile]:
    """Leave out `paths`, except files with the exact name; note those with a similar name."""
    out = [file for file in candidates if file.path in paths and file.name != NameMatch.EXACT]
    notes += [f"{file.shown} {why}" for file in out if file.name != NameMatch.OTHER]
    left = {file.path for file in out}
    return [file for file in candidates if file.path not in left]


def _is_same(one: FoundFile, other: FoundFile) -> bool:
    """Return whether both files would get the same grade, because their code is the same."""
    a, b = one.source, other.source
    if a is None or b is None:
        return False
    if (a.units, a.helpers, a.answers) == (b.units, b.helpers, b.answers):
        return True
    codes = one.code, other.code
    is_known = not any(code.broken or code.open for code in codes)
    same_code = is_known and codes[0].statements == codes[1].statements
    return same_code and (a.helpers, a.answers) == (b.helpers, b.answers)
