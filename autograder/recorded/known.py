"""What misconceptions give, as data: enough to tell by numbers which of them an answer shows."""

from typing import Any

import msgspec
import numpy as np

from autograder.diagnosis.outcome import Outcome, Vector
from autograder.recorded.sketch import weights_of

FOLLOWING = ".names.bin"
KEPT_BITS = np.uint64(0xFFFFFFFFFF000000)  # of a sum of a pair: some eight decimals
SLACK = 2.0**-26  # what is lost by that, as a share


class WrongInWords(msgspec.Struct, frozen=True):
    """A misconception's words."""

    id: str
    finding: str
    hints: tuple[str, ...]


class Probed(msgspec.Struct, frozen=True):
    """One call: its arguments and its right result as packed values, and what is true of it.

    `result` is empty where an error is the right answer. `made` are the places of arguments that
    are made where the function runs, each with the name of what makes it.
    """

    given: bytes
    made: dict[int, str]
    condition: float
    traits: list[bool]
    sizes: dict[str, int]
    result: bytes


class Gave(msgspec.Struct, frozen=True):
    """An outcome: the place of its signature, its numbers, and how far these may be off."""

    signature: int
    numbers: bytes
    single: bool = False
    allowed: bytes = b""
    parts: bytes = b""


class Pairs(msgspec.Struct):
    """What pairs and families give in one probe: which outcome each has, and these as sums.

    `kinds` are digests, `sums` two rows of float64 without their last bits, byte by byte.
    """

    which: bytes = b""
    kinds: list[bytes] = []
    sums: bytes = b""


class KnownFunction(msgspec.Struct):
    """One function of an exercise, and the ways in which it is done wrong.

    Attributes:
        call: how it is called: nothing for a plain call, `tensors`, or a class's blueprint.
        read: which helper reads its result, by its dotted name; nothing where none does.
        drawn: how many probes a draw has.
        singles: the place in `wrong` of each; the same one in several styles.
        outcomes: for each probe the place in `gave` of the right outcome, then of each single's;
            where results are random, of each pair's too.
        styled: the same of what is right in each other style.
        pairs: the places in `wrong` of two, for each pair, the same ones in several styles.
        families: the places in `wrong` of what may be done to any argument or result.
        paired: what the pairs give by probe, and after them the families.
    """

    name: str
    parameters: list[str]
    defaults: bytes
    results: list[str]
    precision: str
    by_kind: bool
    random: bool
    read: str
    call: dict[str, Any] | None
    traits: list[tuple[str, str]]
    drawn: int
    probes: list[Probed]
    wrong: list[WrongInWords]
    singles: list[int]
    signatures: list[str]
    gave: list[Gave]
    outcomes: list[list[int]]
    styled: list[list[int]]
    pairs: list[tuple[int, int]]
    families: list[int]
    paired: list[Pairs]


class Names(msgspec.Struct):
    """The misconceptions of one exercise."""

    functions: list[KnownFunction]


def kind_and_sums(outcome: Outcome) -> tuple[bytes, Vector, Vector]:
    """An outcome in short: a digest of its structure, two sums, and what these are made with."""
    import hashlib

    numbers, text = outcome.numbers, outcome.signature
    odd = ~np.isfinite(numbers)
    if odd.any():
        text += f" {np.flatnonzero(odd).tolist()} {numbers[odd].tolist()}"
        numbers = np.where(odd, 0.0, numbers)
    kind = hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).digest()
    weights = weights_of(len(numbers))[:2]
    with np.errstate(over="ignore", invalid="ignore"):
        return kind, weights @ numbers, np.abs(weights)


def shuffled(sums: Vector) -> bytes:
    """Sums as bytes that can be packed well."""
    cut = (sums.astype("<f8").view("<u8") & KEPT_BITS).view(np.uint8).reshape(-1, 8)
    return np.ascontiguousarray(cut.T).tobytes()


def unshuffled(data: bytes) -> Vector:
    """The sums, two a row."""
    cells = np.frombuffer(data, np.uint8).reshape(8, -1)
    return np.ascontiguousarray(cells.T).view("<f8").reshape(-1, 2)
