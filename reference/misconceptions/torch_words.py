"""Misconceptions of the NumPy exercises, reworded for exercises in torch."""

from collections.abc import Iterable

from autograder import author
from autograder.author import Family

WORDS = {
    "In NumPy, what is np.exp(1000) / np.exp(1000)?": "What is inf / inf in torch, and what is "
    "torch.exp(torch.tensor(1000.0))?",
    "(np.swapaxes)": "(transpose(-2, -1))",
    "np.swapaxes": "transpose",
    "np.exp": "torch.exp",
    "keepdims=True": "keepdim=True",
}


def chosen(families: Iterable[Family], names: str) -> tuple[Family, ...]:
    """Return the mistakes with these names, with messages in torch's words."""
    return tuple(family.worded(_worded) for family in author.chosen(families, names))


def without(families: Iterable[Family], names: str) -> tuple[Family, ...]:
    """Return the mistakes without these names, with messages in torch's words."""
    return tuple(family.worded(_worded) for family in author.without(families, names))


def _worded(text: str) -> str:
    for numpy_word, torch_word in WORDS.items():
        text = text.replace(numpy_word, torch_word)
    return text
