"""Choice of the file to grade for an exercise, and notes on all other files."""

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
    """Likelihood that the student means a file as the submission, likeliest first."""

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
    """File that may be the submission for an exercise."""

    path: Path
    shown: str
    name: NameMatch
    source: Source | None = None
    code: Code = msgspec.field(default_factory=Code)
    trouble: str = ""  # reason why the file is unreadable
    not_python: bool = False
    uses: frozenset[str] = frozenset()  # names of mentioned neighbouring files
    defines: Sequence[str] = ()  # functions that show the exercise, if the name does not


class Choice(msgspec.Struct):
    """The file to grade, or the reason why there is none, and notes."""

    chosen: FoundFile | None = None
    unclear: str = ""
    several: Sequence[FoundFile] = ()  # equally likely files, if the choice is unclear
    notes: list[str] = []
    untouched: list[str] = []  # names other unchanged files
    is_untouched: bool = False  # true if the chosen file is unchanged


def choose(
    exercise: str,
    candidates: Sequence[FoundFile],
    stub: Stub | None,
    imported: Collection[Path] = (),
) -> Choice:
    """Return the likeliest file. If several different files are equally likely, return no file.

    `imported` has the files that the files of exercises import, as paths without suffix.
    """
    left_out: list[str] = []
    ordered = sorted(candidates, key=lambda file: (file.name, file.shown))
    ordered = _without_neighbours(ordered, exercise, imported, stub, left_out)
    ranks = {file.path: _rank(file, stub) for file in ordered}
    best = min(ranks.values())
    first, *others = [file for file in ordered if ranks[file.path] == best]
    choice = Choice(first, notes=left_out, is_untouched=best == Rank.UNTOUCHED)
    for file in ordered:
        rank = ranks[file.path]
        if rank == Rank.UNTOUCHED and file is not first:
            choice.untouched.append(file.shown)
        elif rank > best:
            why = file.trouble.rstrip(".") if file.trouble else REASONS.get(rank, "")
            choice.notes.append(f"{file.shown} was left out for {exercise}: {why}.")
    if best == Rank.UNTOUCHED:
        others = []
    if not all(_is_same(file, first) for file in others):
        shown = few([file.shown for file in (first, *others)], MAX_SHOWN)
        choice.chosen, choice.unclear = None, f"There are several files for {exercise}: {shown}."
        choice.several = (first, *others)
        return choice
    why = f"it has the same code as {first.shown}"
    choice.notes += [f"{file.shown} was left out for {exercise}: {why}." for file in others]
    is_one_of_several = len(ordered) > 1 and best != Rank.UNTOUCHED and bool(choice.notes)
    choice.notes[:0] = _notes_on_chosen(first, exercise, is_one_of_several)
    return choice


def _notes_on_chosen(first: FoundFile, exercise: str, is_one_of_several: bool) -> list[str]:
    if first.name != NameMatch.EXACT and not first.trouble:
        by = f": it has {few(first.defines, MAX_DEFINED)}" if first.name == NameMatch.OTHER else ""
        return [f"{first.shown} was graded for {exercise}{by}."]
    return [f"{first.shown} was graded for {exercise}."] if is_one_of_several else []


def _rank(candidate: FoundFile, stub: Stub | None) -> Rank:
    source, code = candidate.source, candidate.code
    if stub is None:  # without a stub, only the file name can decide
        return Rank.WRITTEN if candidate.name == NameMatch.EXACT else Rank.BY_CONTENT
    if source is None:
        return Rank.ODD
    if stub.is_untouched(code, source.answers):
        return Rank.UNTOUCHED
    written = stub.written(code)
    if stub.asked and not written and not code.open:
        return Rank.ODD if candidate.name == NameMatch.EXACT or code.broken else Rank.BESIDE
    if written and not any(code.names[name].tree for name in written):
        return Rank.ODD
    return Rank.WRITTEN if candidate.name <= NameMatch.WITHIN else Rank.BY_CONTENT


def _without_neighbours(
    files: list[FoundFile],
    exercise: str,
    imported: Collection[Path],
    stub: Stub | None,
    notes: list[str],
) -> list[FoundFile]:
    """Leave out files that only import the exercise's file, and files that it imports."""
    folders = {file.path.parent for file in files if file.name == NameMatch.EXACT}

    def is_helper(file: FoundFile) -> bool:
        return bool(folders) and file.path.with_suffix("") in imported

    def is_user(file: FoundFile) -> bool:  # such as `test_softmax`
        if stub is None or file.path.parent not in folders or exercise not in file.uses:
            return False
        written = stub.written(file.code)
        return bool(written) and all(file.code.names[name].is_import for name in written)

    reasons = ((is_helper, "other files import it"), (is_user, "it only imports that file"))
    for is_neighbour, why in reasons:
        out = [file for file in files if file.name != NameMatch.EXACT and is_neighbour(file)]
        noted = [file.shown for file in out if file.name != NameMatch.OTHER]
        notes += [f"{shown} was left out for {exercise}: {why}." for shown in noted]
        paths = {file.path for file in out}
        files = [file for file in files if file.path not in paths]
    return files


def _is_same(one: FoundFile, other: FoundFile) -> bool:
    a, b = one.source, other.source
    if a is None or b is None or (a.helpers, a.answers) != (b.helpers, b.answers):
        return False
    is_known = not any(code.broken or code.open for code in (one.code, other.code))
    return a.units == b.units or (is_known and one.code.statements == other.code.statements)
