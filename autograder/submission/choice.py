"""Choice of the file that is graded for an exercise, and notes on the files that are not graded."""

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
    """Likelihood that a file is the intended answer. The first rank is the likeliest."""

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
    """File that may answer an exercise. If it cannot be read, `trouble` is the reason.

    `uses` has the names of neighbouring files that the file mentions. If the file's name matches no
    exercise, `defines` has the functions by which the exercise was recognised.
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
    """The file that is graded, or the reason why no file is graded; and notes.

    If the intended file is not clear, `several` has the files that are equally likely. `untouched`
    names other files that the student has not changed. `is_untouched` is true if the student has
    not changed the chosen file.
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
    """Return the likeliest file. Return no file if several different files are equally likely.

    `imported` has the files that an exercise's own file imports, as paths without suffix.
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
    """Keep the first of several equally likely files if all are the same, else choose no file."""
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
    if stub is None:  # without a stub, only the file name can decide
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
    """Leave out files that only import the exercise's file, and files that this file imports."""
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
    """Leave out `paths`, but keep files with the exact name. Note files with a similar name."""
    out = [file for file in candidates if file.path in paths and file.name != NameMatch.EXACT]
    notes += [f"{file.shown} {why}" for file in out if file.name != NameMatch.OTHER]
    left = {file.path for file in out}
    return [file for file in candidates if file.path not in left]


def _is_same(one: FoundFile, other: FoundFile) -> bool:
    """Return whether both files would get the same grade because they have the same code."""
    a, b = one.source, other.source
    if a is None or b is None:
        return False
    if (a.units, a.helpers, a.answers) == (b.units, b.helpers, b.answers):
        return True
    codes = one.code, other.code
    is_known = not any(code.broken or code.open for code in codes)
    same_code = is_known and codes[0].statements == codes[1].statements
    return same_code and (a.helpers, a.answers) == (b.helpers, b.answers)
