"""Misconceptions with the axes of heads in every possible order."""

from collections.abc import Callable, Iterator, Sequence
from itertools import permutations
from typing import Any

from autograder.author import Hints, Misconception

ORDER: Hints = (
    "What does each axis of your array stand for, after each line?",
    "The heads are the second of the four axes: (B, H, L, E/H). Before the merge, move the heads "
    "behind the positions.",
    "Beside each reshape and transpose, write its four axes as a comment. Follow these axes "
    "from line to line.",
)


def in_other_orders_split() -> Iterator[Misconception]:
    """Yield splits into (H, E/H) or (E/H, H), each followed by every order of the four axes."""
    for names in (("B", "L", "H", "E/H"), ("B", "L", "E/H", "H")):
        for order in permutations(range(4)):
            yield Misconception(
                f"cut-as-{'-'.join(names).lower().replace('/', '')}-{_digits(order)}",
                f"The features are cut into {_listed(names)}, and the axes are put in the order "
                f"{_listed([names[axis] for axis in order])}.",
                ORDER,
                {"heads": _cut(names[2] == "H", order)},
            )


def in_other_orders_merged() -> Iterator[Misconception]:
    """Yield merges before which the four axes are in any order."""
    names = ("B", "H", "L", "E/H")
    for order in permutations(range(4)):
        yield Misconception(
            f"merged-as-{_digits(order)}",
            f"Before the last reshape, your axes are in the order "
            f"{_listed([names[axis] for axis in order])}.",
            ORDER,
            {"merged": _merged(order)},
        )


def _listed(names: Sequence[str]) -> str:
    return f"({', '.join(names)})"


def _digits(order: tuple[int, ...]) -> str:
    return "".join(map(str, order))


def _cut(heads_first: bool, order: tuple[int, ...]) -> Callable[[Any], Any]:
    def heads(s: Any) -> Any:
        batch, length, features = s.x.shape
        size = features // s.num_heads
        inner = (s.num_heads, size) if heads_first else (size, s.num_heads)
        return s.x.reshape(batch, length, *inner).transpose(order)

    return heads


def _merged(order: tuple[int, ...]) -> Callable[[Any], Any]:
    def merged(s: Any) -> Any:
        batch, heads, length, size = s.x.shape
        return s.x.transpose(order).reshape(batch, length, heads * size)

    return merged
