"""Misconceptions of the NumPy exercises, for exercises in torch."""

from collections.abc import Iterable
from dataclasses import replace

from autograder.diagnosis.recipe import Hints, Misconception

WORDS = {
    "(np.swapaxes)": "(transpose(-2, -1))",
    "np.swapaxes": "transpose",
    "np.exp": "torch.exp",
    "keepdims=True": "keepdim=True",
}


def in_torch(*misconceptions: Misconception) -> tuple[Misconception, ...]:
    """The same, with torch's names for functions in the hints."""
    return tuple(
        replace(each, hints=_hints(each.hints), finding=_worded(each.finding))
        for each in misconceptions
    )


def chosen(misconceptions: Iterable[Misconception], names: str) -> tuple[Misconception, ...]:
    """Those of the misconceptions that are named, with torch's words."""
    wanted = set(names.split())
    found = [each for each in misconceptions if each.id in wanted]
    absent = wanted - {each.id for each in found}
    assert not absent, absent
    return in_torch(*found)


def without(misconceptions: Iterable[Misconception], names: str) -> tuple[Misconception, ...]:
    """All of them but those that are named, with torch's words."""
    return in_torch(*(each for each in misconceptions if each.id not in names.split()))


def _hints(hints: Hints) -> Hints:
    first, second, third = map(_worded, hints)
    return first, second, third


def _worded(text: str) -> str:
    for numpy_word, torch_word in WORDS.items():
        text = text.replace(numpy_word, torch_word)
    return text
