"""Misconceptions with the axes of heads in every possible order."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations
from math import prod
from typing import Any

from autograder.author import Hints, Misconception

ORDER: Hints = (
    "What does each axis of your array stand for, after each line?",
    "The heads are the second of the four axes: (B, H, L, E/H). Before the merge, move the heads "
    "behind the positions.",
    "Beside each reshape and transpose, write its four axes as a comment. Follow these axes "
    "from line to line.",
)
CUTS = (("B", "L", "H", "E/H"), ("B", "L", "E/H", "H"), ("B", "H", "L", "E/H"))
HEADS = ("B", "H", "L", "d")
JOINS = (("B", "L", "H·d"), ("B", "H", "L·d"), ("B", "H·d", "L"))


def in_other_orders_split() -> Iterator[Misconception]:
    """Yield reshapes to four axes, each followed by every order of these axes."""
    for names in CUTS:
        for order in permutations(range(4)):
            yield Misconception(
                f"cut-as-{_id(names)}-{_id(map(str, order), '')}",
                f"Your numbers match a reshape of x to {_listed(names)}, with the axes then in "
                f"the order {_listed([names[axis] for axis in order])}.",
                ORDER,
                {
                    "heads": lambda s, names=names, order=order: _reshaped(
                        s.x, names, _sizes(s)
                    ).transpose(order)
                },
            )


def in_other_orders_merged() -> Iterator[Misconception]:
    """Yield every order of the four axes, each followed by reshapes to three axes."""
    for names in JOINS:
        for order in permutations(range(4)):
            yield Misconception(
                f"merged-as-{_id(map(str, order), '')}-{_id(names)}",
                f"Your numbers match the axes in the order "
                f"{_listed([HEADS[axis] for axis in order])}, with a reshape to {_listed(names)} "
                "after it.",
                ORDER,
                {
                    "merged": lambda s, names=names, order=order: _reshaped(
                        s.x.transpose(order), names, dict(zip(HEADS, s.x.shape, strict=True))
                    )
                },
            )


def _listed(names: Sequence[str]) -> str:
    return f"({', '.join(names)})"


def _id(names: Any, between: str = "-") -> str:
    return between.join(names).lower().replace("/", "").replace("·", "")


def _sizes(s: Any) -> dict[str, int]:
    batch, length, features = s.x.shape
    return {"B": batch, "L": length, "H": s.num_heads, "E/H": features // s.num_heads}


def _reshaped(x: Any, names: Sequence[str], sizes: Mapping[str, int]) -> Any:
    return x.reshape([prod(sizes[part] for part in name.split("·")) for name in names])
