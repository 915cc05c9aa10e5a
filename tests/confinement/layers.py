"""Attacks that succeed if one layer of the confinement is off.

`python -m tests.confinement.layers` prints the table of `docs/confinement.md`. Layers overlap, so
some rows start from a base that lacks the overlapping layer too. Each base keeps the namespaces or
the system-call filter, so no attack harms the machine.
"""

from collections.abc import Iterable

from autograder.worker.confinement import LAYERS
from tests.confinement.arena import arena
from tests.confinement.attacks import ATTACKS

FULL = LAYERS["full"]
SHOWN = 4  # attacks named in a row of the table


def without(*layers: str) -> tuple[str, ...]:
    return tuple(layer for layer in FULL if layer not in layers)


# layer: (the base with it, the layers without it, an attack that then succeeds)
CASES = {
    "namespaces and private root": (
        FULL,
        without("namespaces", "scratch", "pid"),
        "detect a file of the host",
    ),
    "fresh scratch folder": (
        FULL,
        without("scratch"),
        "read another submission's file",
    ),
    "own process namespace": (
        without("seccomp", "landlock"),
        without("seccomp", "landlock", "pid"),
        "probe the parent",
    ),
    "limits": (FULL, without("limits"), "open 1000 files"),
    "landlock": (FULL, without("landlock"), "list the root folder"),
    "system-call filter": (FULL, without("seccomp"), "fork"),
}


def through(layers: tuple[str, ...], names: Iterable[str] = ATTACKS) -> list[str]:
    """Return the attacks that succeed against these layers."""
    with arena(layers) as place:
        return [name for name in names if place.gets_through(name)]


def main() -> None:
    print("| switched off | also switched off | attacks that only this layer stops |")
    print("|---|---|---|")
    known: dict[tuple[str, ...], list[str]] = {}
    for layer, (base, left, _) in CASES.items():
        for layers in (base, left):
            known.setdefault(layers, []) or known.__setitem__(layers, through(layers))
        further = [name for name in known[left] if name not in known[base]]
        beside = ", ".join(layer for layer in FULL if layer not in base) or "–"
        more = f"; and {len(further) - SHOWN} more" if len(further) > SHOWN else ""
        print(f"| {layer} | {beside} | {len(further)}: {'; '.join(further[:SHOWN])}{more} |")


if __name__ == "__main__":
    main()
