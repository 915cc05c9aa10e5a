"""Misconceptions about a step with a cache, the generating loop, and the size of a cache.

Examples in real code: a mask that begins at the first key (pytorch#108108), a mask for the new
tokens only (rasbt/LLMs-from-scratch#697).
"""

from collections.abc import Iterable
from typing import Any

import numpy as np

from autograder.author import (
    Change,
    Comparison,
    Family,
    Mistakes,
    Probe,
    Recipe,
    Step,
    Trait,
    constant,
)
from reference import caching
from reference.caching import cache_of, extended, step_mask
from reference.matrices import matrices
from reference.misconceptions.formulas import formulas
from reference.misconceptions.one_head import AFTER_PROJECTION, LABELS, divisors, outputs
from reference.misconceptions.scaled_dot_product_attention import FAMILIES, inside_attention
from reference.random_texts import language
from reference.with_tables import WritesFromTable, flat, next_of

NOTHING = (None, None)  # the keys and values of no cache


def projected(s: Any) -> tuple[Any, Any]:
    return s.x @ s.W_k, s.x @ s.W_v


def lengths(s: Any) -> tuple[int, int]:
    return s.x.shape[-2], s.K.shape[-2]


MASKS = formulas(
    "mask",
    "With t tokens in the cache, the tokens that new token i sees are",
    "0 to t + i",
    ("mask-from-first", "0 to i", lambda s: np.tri(*lengths(s), dtype=bool)),
    ("not-causal", "all", lambda s: np.ones(lengths(s), bool)),
)


def either(with_cache: bool) -> Step:
    return lambda s: (
        step_mask(*lengths(s)) if (s.cache is not None) == with_cache else np.ones(lengths(s), bool)
    )


PARTS: dict[str, Any] = {
    "mask-only-with-cache": (
        "Without a cache, your step is not causal: each token sees all tokens.",
        {"mask": either(True)},
    ),
    "mask-only-without-cache": (
        "With a cache, your step is not causal: each new token sees all new tokens.",
        {"mask": either(False)},
    ),
    "new-before-old": (
        "The new keys and values come before those of the cache. They should come after them.",
        {
            "old": lambda s: projected(s) if s.cache else NOTHING,
            "new": lambda s: s.cache or projected(s),
        },
    ),
    "keys-projected-twice": (
        "The keys of the cache are multiplied by W_k again. They are projected already.",
        {"old": lambda s: (s.cache[0] @ s.W_k, s.cache[1]) if s.cache else NOTHING},
        {"old": lambda s: (s.cache[0] @ s.W_k, s.cache[1] @ s.W_v) if s.cache else NOTHING},
    ),
    "cache-ignored": (
        "The cache has no effect on the output: each step begins anew.",
        {"old": lambda s: NOTHING},
    ),
}
RETURNED: dict[str, Any] = {
    "old-cache-returned": (
        "The new tokens are missing in the returned cache. {The output is right.}",
        lambda s: (s.output, *(s.cache or s.new)),
    ),
    "new-tokens-only": (
        "The returned cache has only the new tokens. It should have the old ones too.",
        lambda s: (s.output, *s.new),
    ),
    "one-array-twice": (
        "The returned cache has the same array as keys and as values.",
        lambda s: (s.output, s.K, s.K),
        lambda s: (s.output, s.V, s.V),
    ),
}
STEP = {
    "Q": lambda s: s.x @ s.W_q,
    "old": lambda s: s.cache or NOTHING,
    "new": projected,
    "K": lambda s: extended(s.old[0], s.new[0]),
    "V": lambda s: extended(s.old[1], s.new[1]),
    "mask": lambda s: step_mask(*lengths(s)),
    **AFTER_PROJECTION,
    "results": lambda s: (s.output, s.K, s.V),
}
OWN = (MASKS, Family(None, (), PARTS), Family("results", (), RETURNED), divisors(), outputs())


LOOP: dict[str, Any] = {
    "first-row": (
        "The next token comes from the first row of the output. The last row decides.",
        {"row": lambda s: lambda output: output[0]},
    ),
    "cache-dropped": (
        "Each step begins without a cache, so a new token sees no earlier token.",
        {"kept": lambda s: lambda cache: None},
    ),
    "text-read-again": (
        "Each step reads the whole text, with a cache that has most of it already.",
        {"unread": lambda s: lambda text: text},
    ),
    "prompt-returned": (
        "The result begins with the prompt. Return only the new tokens.",
        {"result": lambda s: [*s.prompt, *s.tokens]},
    ),
}


def loop(s: Any) -> list[int]:
    tokens: list[int] = []
    unread, cache = list(s.prompt), None
    for _ in range(s.n):
        output, cache = caching.step(s.table[unread], cache, *s.weights)
        tokens.append(next_of(s.row(output), len(s.table)))
        cache, unread = s.kept(cache), s.unread([*s.prompt, *tokens])
    return tokens


GENERATE = {
    "row": lambda s: lambda output: output[-1],
    "kept": lambda s: lambda cache: cache,
    "unread": lambda s: lambda text: text[-1:],
    "tokens": loop,
    "result": lambda s: s.tokens,
}


class Writing(WritesFromTable):
    def simulated(self, recipe: Recipe, original: Any, wrong: Iterable[Change]) -> Any:  # noqa: ARG002
        wrong = tuple(wrong)

        def generate(prompt: Any, n: int, _: Any, embed: Any, weights: Any) -> Any:
            table = embed.__globals__["table"]
            return recipe.run(Probe((prompt, n, table, weights)), wrong)

        return generate


BYTES = formulas(
    None,
    "The number of bytes is",
    "2 · layers · heads · d_head · length · bytes_per_number",
    ("keys-only", "layers · heads · d_head · length · bytes_per_number", {"arrays": constant(1)}),
    ("bytes-fixed", "2 · layers · heads · d_head · length · 2", {"bytes_per_number": constant(2)}),
    ("bytes-missing", "2 · layers · heads · d_head · length", {"bytes_per_number": constant(1)}),
)


def drawn(rng: Any, *size: int, start: int, inside: tuple[int, int] = (2, 3)) -> Probe:
    """Return a step for random tokens. The cache has the tokens before `start`."""
    x, weights = rng.normal(size=size), matrices(rng, size[-1], size[-1], *inside)
    cache = cache_of(x[..., :start, :], weights)
    return Probe((x[..., start:, :], cache, *weights))


def step_probes(draw: int) -> list[Probe]:
    rng = np.random.default_rng([210, draw])
    wide = ((1, 2), 0), ((3, 2), 0), ((2, 2), 1), ((4, 4), 2), ((2, 3, 4), 1), ((2, 3, 5, 2), 2)
    square = ((3, 3), 0), ((4, 3), 3), ((5, 3), 2)
    calls = [drawn(rng, *size, start=start) for size, start in wide]
    return [*calls, *(drawn(rng, *size, start=start, inside=(3, 3)) for size, start in square)]


def loop_probes(draw: int) -> list[Probe]:
    rng = np.random.default_rng([211, draw])
    texts = ([1], 1), ([2, 0], 1), ([3, 5, 1], 4), ([4, 2, 2, 0], 5), ([5, 1], 6), ([0], 5)
    return [Probe(language(rng, *text, 8, (2, 4))) for text in texts]


def bytes_probes(draw: int) -> list[Probe]:
    rng = np.random.default_rng([212, draw])
    sizes = [tuple(map(int, rng.integers(2, 9, 4))) for _ in range(3)]
    wide = [
        Probe(size, {"bytes_per_number": by}) for size, by in zip(sizes, (4, 1, 8), strict=True)
    ]
    return [*map(Probe, sizes), *wide]


MISTAKES = Mistakes(
    Recipe(
        caching.step,
        step_probes,
        OWN,
        STEP,
        results=("the output", "the keys", "the values"),
        labels=LABELS,
        traits=(
            Trait(lambda s: s.cache is not None, "with a cache", "without a cache"),
            Trait(lambda s: s.x.shape[-2] > 1, "with several new tokens", "with one new token"),
        ),
        comparison=Comparison(read=flat, sample=lambda s: (s.results[0], s.results[1:])),
        fallbacks=tuple(inside_attention(OWN, FAMILIES)),
    ),
    Recipe(
        "generate",
        loop_probes,
        (Family(None, (), LOOP),),
        GENERATE,
        ("prompt", "n", "table", "weights"),
        caller=Writing(),
    ),
    Recipe(
        caching.cache_bytes,
        bytes_probes,
        (BYTES,),
        {
            "arrays": constant(2),
            "numbers": lambda s: s.arrays * s.layers * s.heads * s.d_head * s.length,
            "result": lambda s: s.numbers * s.bytes_per_number,
        },
    ),
)
