"""What a worker has imported before it gets a source: its library, and what else it mentions."""

from collections.abc import Callable
from pathlib import Path

from autograder.course import Library

# By module: words of which one stands in every source that uses it. A fork copies what is there,
# and to import torch's optimisers takes as long as torch itself: so only for those that use them.
WORDS = {
    "matplotlib.pyplot": ("matplotlib", "seaborn"),
    "torch.optim": ("optim", ".step("),
}
MOST = 2**22  # bytes of a file that are looked through


def also_warm(library: Library, mentions: Callable[[str], bool]) -> tuple[str, ...]:
    """The modules, beside its library, that a source is likely to use."""
    return tuple(
        module
        for module, words in WORDS.items()
        if (library == "torch" or not module.startswith("torch")) and any(map(mentions, words))
    )


def also_warm_for(library: Library, path: Path) -> tuple[str, ...]:
    """The same for a file that is not read yet; nothing of one that cannot be."""
    try:
        with path.open("rb") as file:
            data = file.read(MOST)
    except OSError:
        return ()
    return also_warm(library, lambda word: word.encode() in data)
