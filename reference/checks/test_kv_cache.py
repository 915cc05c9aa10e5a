"""Checks of `kv_cache`: a step with a cache, a loop that writes, and the size of a cache."""

import numpy as np
import pytest

from autograder.author import Mismatch, expect_close, expect_independent_calls, expect_results
from reference.caching import cache_bytes, cache_of, generate_of, step
from reference.checks.calls import expect_arguments_stay, expect_calls_follow
from reference.checks.earlier import expect_different_numbers, is_right
from reference.matrices import matrices
from reference.random_texts import language
from reference.with_tables import written

FIRST, SECOND = np.array([[1.0], [0.0]]), np.array([[0.0], [1.0]])
TOKENS = np.array([[1.0, 2.0], [2.0, 1.0], [1.0, 3.0]])
BY_HAND = (FIRST, FIRST, SECOND, np.array([[1.0, 0.0]]))


def drawn(rng, *sizes, inside=(2, 5)):
    return rng.normal(size=sizes), matrices(rng, sizes[-1], sizes[-1], *inside)


def split(x, weights, start):
    """Return the arguments of `step` for the tokens from `start`.

    Earlier tokens are in the cache.
    """
    return x[..., start:, :], cache_of(x[..., :start, :], weights), *weights


def expect_output(submission, *cases):
    for case in cases:
        output, _ = expect_results(submission.step(*case), ("output", "cache"), "step")
        expect_close(output, step(*case)[0], "the output", condition=20.0)


def expect_cache(submission, *cases):
    for case in cases:
        _, cache = expect_results(submission.step(*case), ("output", "cache"), "step")
        keys, values = expect_results(cache, ("keys", "values"), "The cache of step")
        right = step(*case)[1]
        expect_close(keys, right[0], "the keys in the cache", condition=5.0)
        expect_close(values, right[1], "the values in the cache", condition=5.0)


@pytest.mark.check(
    "step: without a cache", points=3, grades=["one step", "several tokens", "cache"]
)
def test_no_cache(submission, rng):
    """If there is no cache yet, which tokens does the first token see?
    Without a cache, step is causal attention: token i should see the tokens 0 to i.
    Print your mask for three tokens: a lower triangle with its diagonal.
    """
    cases = [split(TOKENS[:n], BY_HAND, 0) for n in (1, 3)]
    expect_output(submission, *cases, split(*drawn(rng, 4, 3), 0), split(*drawn(rng, 3, 3), 0))


@pytest.mark.check("step: one new token", points=3, grades=["one step"])
def test_one_new(submission, rng):
    """In the example by hand, which keys does the second token see?
    A new token should see all keys in the cache and its own key.
    Print the shape of your weights: one row, and one column more than the cache has keys.
    """
    by_hand = split(TOKENS[:2], BY_HAND, 1), split(TOKENS, BY_HAND, 2)
    expect_output(submission, *by_hand, split(*drawn(rng, 4, 3), 3))


@pytest.mark.check("step: several new tokens", points=3, grades=["several tokens"])
def test_several(submission, rng):
    """With one token in the cache, which keys does each of two new tokens see?
    New token i should see all t tokens of the cache, and the new tokens 0 to i.
    The mask has n rows and t + n columns. Its last row has no zeros.
    """
    cases = [split(*drawn(rng, *size), start) for size, start in (((5, 3), 3), ((5, 4), 2))]
    expect_output(submission, split(TOKENS, BY_HAND, 1), *cases)


@pytest.mark.check("step: the new cache", points=3, grades=["cache"])
def test_cache(submission, rng):
    """After the second token of the example by hand, which keys and values are in the cache?
    The new cache should have the old keys and values first, and then those of the new tokens.
    Return the arrays that the attention of this step has used.
    """
    cases = [split(TOKENS[:n], BY_HAND, start) for n, start in ((1, 0), (2, 1), (3, 1))]
    square = drawn(rng, 5, 3, inside=(3, 3))
    long = split(*drawn(rng, 140, 3), 138)
    expect_cache(submission, *cases, split(*square, 2), split(*drawn(rng, 4, 3), 0), long)


@pytest.mark.check("step: the caller's cache stays", grades=["caller's cache"])
def test_caller(submission, rng):
    """Can two texts that begin in the same way continue from one cache?
    step should return new arrays. The arrays of the caller's cache should stay unchanged.
    Use np.concatenate, which makes a new array. `+=` and `[...] =` change the old array.
    """
    names = ["x", "keys in the caller's cache", "values in the caller's cache"]
    names += ["W_q", "W_k", "W_v", "W_o"]
    for x, weights in ((TOKENS, BY_HAND), drawn(rng, 5, 3)):
        expect_arguments_stay(submission.step, names, *split(x, weights, len(x) - 2))


def expect_tokens(submission, note, *cases):
    """Pass if the new tokens are right, or follow from the student's own step."""

    def answer(prompt, *rest):
        tokens, _ = written(submission, prompt, *rest)
        if list(np.ravel(tokens)) == [*prompt, *generate_of(prompt, *rest)]:
            said = "The result begins with the prompt. Return only the new tokens."
            raise Mismatch(said, mistake="prompt-returned")
        return tokens

    def from_own(steps, prompt, n, table, weights):
        run = lambda own, other: generate_of(prompt, n, other, weights, own.step)
        return steps.ask(run, table)

    functions = answer, generate_of, from_own
    for case in cases:
        what = f"the new tokens after the prompt {case[0]}"
        expect_calls_follow(functions, [case], what, "step", submission, note, axes=(1,), share=0.3)


@pytest.mark.check("generate: the new tokens", points=3, grades=["generate"])
def test_generate(submission, note, rng):
    """For the next token, which row of the output decides?
    First read the prompt. Then read only the newest token, with the cache of the step before.
    Print what you pass to embed: first the prompt, and then one token at a time.
    """
    expect_tokens(
        submission,
        note,
        language(rng, [1], 1),
        language(rng, [2, 0, 5], 1),
        language(rng, [0, 3, 1], 4),
        language(rng, [4, 1, 1, 7, 5], 6),
    )
    tokens, _ = written(submission, *language(rng, [3, 1], 0))
    expect_close(tokens, np.zeros(0), "the new tokens for n = 0")


@pytest.mark.check("generate: no token twice", grades=["no token twice"])
def test_embedded_once(submission, rng):
    """For a prompt of three tokens and n = 4, how many tokens does your function embed?
    The cache has the keys and values of all earlier tokens. Embed only the newest token.
    Look at the argument of embed inside the loop: it should not grow.
    """
    for prompt, n in (([2, 0, 5], 4), ([1], 3)):
        _, embedded = written(submission, *language(rng, prompt, n))
        if not embedded:
            raise Mismatch("generate does not call embed.")
        if len(embedded) > len(prompt) + n:
            said = (
                f"generate embeds {len(embedded)} tokens. The prompt and the new tokens are only "
                f"{len(prompt) + n} tokens, so it embeds some tokens more than once."
            )
            raise Mismatch(said, mistake="embedded-twice")


@pytest.mark.check("cache_bytes", grades=["bytes"])
def test_bytes(submission):
    """For one layer, one head, d_head = 1 and one token, how many numbers are in the cache?
    There are a key and a value for each token, in each head of each layer.
    Multiply all arguments and the number 2.
    """
    for case in (1, 1, 1, 1), (2, 3, 5, 7), (40, 40, 128, 2048):
        expect_close(submission.cache_bytes(*case), cache_bytes(*case), "the bytes")
    answer = submission.cache_bytes(2, 3, 5, 7, bytes_per_number=4)
    expect_close(answer, cache_bytes(2, 3, 5, 7, 4), "the bytes for bytes_per_number=4")


@pytest.mark.check(
    "Other sizes, and calls that do not depend on each other",
    points=2,
    grades=["sizes", "no side effects", "several tokens"],
)
def test_others(submission, rng, grading):
    """Which lines work only for a matrix or keep a cache between calls?
    Any number of batch axes may be in front of the last two. The only cache should be the argument.
    Count axes from the end (-1 and -2). Begin each text with the cache None.
    """
    x, weights = drawn(rng, 2, 3, 6, 4)
    cases, text = [split(x, weights, start) for start in (0, 2, 5)], language(rng, [1, 2], 3)
    simple = split(TOKENS, BY_HAND, 1), split(TOKENS, BY_HAND, 0)
    expected = (lambda s: expect_output(s, *simple)), (lambda s: expect_cache(s, *simple))
    if is_right(submission, *expected):
        grading("sizes")
        more = split(*drawn(rng, 1, 3, 1, inside=(1, 1)), 1), split(*drawn(rng, 200, 3), 150)
        expect_output(submission, *cases, *more)
        expect_cache(submission, *cases)
        grading("several tokens")
        whole, cache, outputs = step(x, None, *weights)[0], None, []
        for place in (0, 1, 3):
            output, cache = submission.step(x[..., place : 2 * place + 1, :], cache, *weights)
            outputs.append(output)
        outputs = np.concatenate(outputs, axis=-2)
        expect_close(outputs, whole, "the outputs of three steps together", condition=20.0)
    else:
        output, _ = expect_results(submission.step(*cases[1]), ("output", "cache"), "step")
        expect_different_numbers(output, "the output")
    grading("no side effects")
    calls = [
        (f"step, call {n},", lambda s, case=case: s.step(*case)) for n, case in enumerate(cases)
    ]
    calls.append(("generate", lambda s: written(s, *text)[0]))
    between = [
        lambda s: s.step(x[0, 0] + 1, None, *weights),
        lambda s: written(s, [0], 2, *text[2:])[0],
    ]
    expect_independent_calls(submission.fresh(), calls, between)
