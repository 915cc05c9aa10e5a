"""One person's part of a download: which attempt counts, and what is said of the others."""

from collections.abc import Collection, Sequence
from pathlib import PurePosixPath

import msgspec

from autograder.platforms.model import Importer, Owner, Piece
from autograder.platforms.recognise import PIECES
from autograder.text import one_line


class Share(msgspec.Struct):
    """What is one person's, and counts: older first; `notes` are what a student may read."""

    person: Owner
    importer: Importer
    pieces: list[Piece]
    notes: list[str] = []
    together_with: tuple[Owner, ...] = ()


def shares(pieces: PIECES, exercises: Collection[str]) -> list[Share]:
    """Everybody's part, in order of key; a group's work is each member's."""
    found: dict[tuple[str, str], Share] = {}
    for importer, piece in pieces:
        for owner in piece.owners:
            mine = found.setdefault((owner.key, importer.name), Share(owner, importer, []))
            mine.pieces.append(piece)
    for share in found.values():
        _settle(share, exercises)
        share.together_with = tuple(
            dict.fromkeys(
                owner
                for piece in share.pieces
                for owner in piece.owners
                if owner.key != share.person.key
            )
        )
    return [found[key] for key in sorted(found)]


def _settle(share: Share, exercises: Collection[str]) -> None:
    """Leave out what was handed in again later."""
    pieces = sorted(share.pieces, key=lambda piece: (piece.attempt, piece.entry))
    if any(piece.whole for piece in pieces):
        last = pieces[-1].attempt
        before = [piece for piece in pieces if piece.attempt != last]
        share.pieces = [piece for piece in pieces if piece.attempt == last]
        if before:
            count = len({piece.attempt for piece in before})
            which = "An earlier attempt was" if count == 1 else f"{count} earlier attempts were"
            share.notes.append(f"{which} left out: the last one counts.")
    else:
        _without_replaced(share, pieces, exercises)


def _without_replaced(share: Share, pieces: Sequence[Piece], exercises: Collection[str]) -> None:
    share.pieces = []
    for piece in pieces:
        later = [other for other in pieces if _replaces(other, piece, pieces, exercises)]
        if later:
            name, last = one_line(piece.name, 60), one_line(later[-1].name, 60)
            again = "it" if name == last else last
            share.notes.append(f"{name} was left out: {again} was handed in again later.")
        else:
            share.pieces.append(piece)


def _replaces(
    other: Piece, piece: Piece, pieces: Sequence[Piece], exercises: Collection[str]
) -> bool:
    """Whether one file takes another's place, by the platform's count of them.

    A student may number files, too. So a number counts only after an exercise's name, or where
    the file without one is there.
    """
    if not piece.name or other.original.casefold() != piece.original.casefold():
        return False
    if not all(b >= a for a, b in zip(piece.attempt, other.attempt, strict=True)):  # type: ignore[operator]
        return False
    if other.attempt == piece.attempt:
        return False
    if other.name == piece.name or PurePosixPath(piece.original).stem in exercises:
        return True
    packed = PurePosixPath(piece.original).suffix.casefold() == ".zip"
    return packed and any(each.name == each.original == piece.original for each in pieces)
