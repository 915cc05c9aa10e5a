"""Tests of `attention_with_dropout` that are complete, or leave something out."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from reference import scale, scores, softmax

LENGTH = 40
RATES = (0.0, 0.1, 0.3, 0.8)
LOOKS = (
    "returned weights",
    "share",
    "kept weights",
    "same for all values",
    "same seed",
    "another seed",
    "keys",
    "queries",
    "batch",
)


@dataclass(frozen=True)
class DropoutTest:
    """Test by the properties and the rates that it covers."""

    looks: tuple[str, ...] = LOOKS
    rates: tuple[float, ...] = RATES
    batch: int = 2

    def stops(self, implementation: Callable[..., Any]) -> bool:
        return any(not all(self._seen(implementation, rate)) for rate in self.rates)

    def _seen(self, implementation: Callable[..., Any], rate: float) -> Iterator[bool]:
        rng = np.random.default_rng(0)
        Q, K = rng.normal(size=(2, self.batch, LENGTH, 4))
        V = np.array([np.hstack([np.eye(LENGTH)] * 2)] * self.batch)
        right = softmax(scale(scores(Q, K), 4))
        output, weights = implementation(Q, K, V, rate, np.random.default_rng(1))
        again, _ = implementation(Q, K, V, rate, np.random.default_rng(1))
        other, _ = implementation(Q, K, V, rate, np.random.default_rng(2))
        used, twice = np.split(output, 2, axis=-1)
        kept = used != 0
        found = {
            "returned weights": np.allclose(weights, right),
            "sums": np.allclose(weights.sum(axis=-1), 1),
            "shapes": output.shape == (self.batch, LENGTH, 2 * LENGTH)
            and weights.shape == right.shape,
            "share": abs(1 - kept.mean() - rate) < 0.15,
            "kept weights": np.allclose(used[kept] * (1 - rate), right[kept]),
            "kept as returned": np.allclose(used[kept] * (1 - rate), weights[kept]),
            "same for all values": np.allclose(used, twice),
            "same seed": np.array_equal(output, again),
        }
        if rate:
            found |= {
                "another seed": not np.array_equal(output, other),
                "keys": (kept != kept[:, :1]).any(),
                "queries": (kept != kept[:, :, :1]).any(),
                "batch": self.batch == 1 or (kept[0] != kept[1]).any(),
            }
        for look in self.looks:
            yield bool(found.get(look, True))


def lazy_dropout_tests() -> Iterator[tuple[str, DropoutTest]]:
    for look in (*LOOKS, "sums", "shapes"):
        yield f"looks at {look}", DropoutTest((look,))
    for look in LOOKS:
        yield f"all but {look}", DropoutTest(tuple(each for each in LOOKS if each != look))
    replaced = tuple("sums" if look == "returned weights" else look for look in LOOKS)
    yield "sums of the returned weights", DropoutTest(replaced)
    consistent = tuple("kept as returned" if look == "kept weights" else look for look in LOOKS)
    yield (
        "kept weights by returned ones",
        DropoutTest(tuple("sums" if look == "returned weights" else look for look in consistent)),
    )
    yield "no batch", DropoutTest(batch=1)
    yield "p = 0 left out", DropoutTest(rates=RATES[1:])
    yield "large p left out", DropoutTest(rates=RATES[:-1])
    for rate in (*RATES, 0.5):
        yield f"only p = {rate}", DropoutTest(rates=(rate,))
