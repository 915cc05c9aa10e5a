"""Random generators in known states, which make known numbers.

The generators are Mersenne Twisters (Matsumoto & Nishimura 1998). Their state determines the next
624 words. Two words make a standard normal number: the layer of the ziggurat (Marsaglia & Tsang
2000), a sign, and a size within the layer. The number is proportional to this size.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

KNOWN = 312  # number of known normal numbers
_LAYER = 100

GENERATOR = """
import numpy as np

def generator(key, position):
    key = np.asarray(key, dtype=np.uint32)
    seed = np.concatenate([np.array([position], dtype=np.uint32), key])  # a list takes far longer
    bits = np.random.MT19937(np.random.SeedSequence(seed))  # for `spawn`
    bits.state = {"bit_generator": "MT19937", "state": {"key": key, "pos": position}}
    return np.random.Generator(bits)
"""


@dataclass(frozen=True)
class State:
    """State of a generator, in a form that another process can read."""

    key: npt.NDArray[np.int64]
    position: int


def seeded(*seed: int) -> State:
    """Return the state after seeding. Its numbers are unknown."""
    state: Any = np.random.MT19937(list(seed)).state["state"]
    return State(state["key"].astype(np.int64), int(state["pos"]))


def sized(size: int, *seed: int) -> State:
    """Return a state whose next `KNOWN` normal numbers are near ±2**(size − 50).

    The numbers for `size + 1` are twice the numbers for `size`. The largest `size` is 49.
    """
    rng = np.random.default_rng(list(seed))
    within = rng.integers(2**24, 2**27, size=KNOWN).astype(np.uint64) << np.uint64(size - 26)
    signs = rng.integers(2, size=KNOWN).astype(np.uint64)
    words = within << np.uint64(9) | signs << np.uint64(8) | np.uint64(_LAYER)
    halves = np.stack([words >> np.uint64(32), words & np.uint64(0xFFFFFFFF)], axis=1)
    return State(_untempered(halves.ravel()).astype(np.int64), 0)


def _untempered(words: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    y = words ^ words >> np.uint64(18)
    y ^= y << np.uint64(15) & np.uint64(0xEFC60000)
    turned = y.copy()
    for _ in range(4):
        turned = y ^ turned << np.uint64(7) & np.uint64(0x9D2C5680)
    y = turned & np.uint64(0xFFFFFFFF)
    return y ^ y >> np.uint64(11) ^ y >> np.uint64(22)
