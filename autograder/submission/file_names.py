"""Names of files in a student's folder, and the exercises of these names."""

import re
from collections.abc import Iterable, Mapping
from enum import IntEnum
from pathlib import Path

from autograder.submission.source import ALSO_READ, SUFFIXES

IGNORED = {
    *("__pycache__", "__MACOSX", ".ipynb_checkpoints", ".git", "node_modules"),
    *("env", "venv", "site-packages", "dist-packages"),
}

_MADE_BY_PROGRAMS = re.compile(
    r"\.(_|~|git|DS_Store|Trash|Spotlight-|fseventsd|localized|directory|nfs|idea|vscode|\w*cache|"
    r"\w*venv|env\b|nbgrader|jupyter|ipython)"
)


def counts(name: str) -> bool:
    """Return False for hidden files, and for files that programs make, such as backups."""
    return name not in IGNORED and not name.startswith(".")


def may_be_hidden_work(name: str) -> bool:
    """Return True if a student may have given a file this name, which begins with a dot."""
    return name.startswith(".") and name not in IGNORED and not _MADE_BY_PROGRAMS.match(name)


class NameMatch(IntEnum):
    """Similarity of a file's name to an exercise's name, most similar first."""

    EXACT = 0
    NEAR = 1  # `softmax (1)`, `softmax_final`
    WITHIN = 2  # `hw1_softmax`
    OTHER = 3


def bare_stem(path: Path) -> str:
    """Return a file's name without suffixes, such as `softmax` for `softmax.py.txt`."""
    stem = path.stem
    while Path(stem).suffix.casefold() in (*SUFFIXES, *ALSO_READ):
        stem = Path(stem).stem
    return stem


def named_for(stem: str, names: Iterable[str]) -> Mapping[str, NameMatch]:
    """Return the exercises in a file's name, such as softmax for `Softmax (1)`.

    Of overlapping names, only the longest counts: not `attention` in `multi_head_attention`.
    """
    plain = f"_{re.sub(r'[^a-z0-9]+', '_', stem.casefold()).strip('_')}_"
    matches: dict[str, NameMatch] = {}
    for name in sorted(names, key=len, reverse=True):
        if stem == name:
            return {name: NameMatch.EXACT}
        wanted = f"_{name.casefold()}_"
        if wanted in plain and not any(wanted in f"_{longer.casefold()}_" for longer in matches):
            matches[name] = NameMatch.NEAR if plain.startswith(wanted) else NameMatch.WITHIN
    return matches
