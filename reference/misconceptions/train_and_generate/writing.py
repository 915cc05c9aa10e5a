"""Misconceptions about greedy text generation."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from autograder.author import Change, Family, Hints, Probe, Recipe, Trait, constant, float32_probe
from reference.generating import mean_logits
from reference.misconceptions.formulas import formulas
from reference.with_models import WritesWithOne

LAST: Hints = (
    "The logits of which position predict the token that comes after the whole text?",
    "Use the logits at the last position, because the logits at position t predict the token "
    "at t + 1.",
    "model(tokens.unsqueeze(0))[0, -1]",
)
CHOICE: Hints = (
    "Which token should be taken at temperature 0?",
    "At temperature 0, take the token with the largest logit.",
    "logits.argmax()",
)
CONTEXT: Hints = (
    "What does the model get if there are more tokens than max_seq_length?",
    "The model should get only the last max_seq_length tokens. The result should have all tokens.",
    "Pass context = tokens[-model.max_seq_length:] to the model, and do not shorten tokens itself.",
)
RESULT: Hints = (
    "Which tokens should the result contain, in order?",
    "The result should be the whole prompt, then max_new_tokens new tokens in the order of their "
    "choice.",
    "Start with tokens = prompt, append each token with torch.cat, and return tokens.",
)

STEPS = {
    "context": lambda s: lambda tokens: tokens[-s.limit :],
    "speaking": lambda s: lambda logits: logits[-1],
    "choose": lambda s: lambda logits: int(logits.argmax()),
    "append": lambda s: lambda tokens, word: [*tokens, word],
    "number": lambda s: s.count,
    "tokens": lambda s: _write(s),
    "result": lambda s: np.array(s.tokens),
}


def _write(s: Any) -> list[int]:
    tokens = [int(each) for each in s.prompt]
    s.longest = 0
    for _ in range(s.number):
        context = s.context(tokens)
        if len(context) > s.limit or not context:
            raise ValueError("more tokens than the model can take, or none")
        s.longest = max(s.longest, len(context))
        logits = mean_logits(s.embedding, s.output, np.array([context]))[0]
        tokens = s.append(tokens, s.choose(s.speaking(logits)))
    return tokens


class Written(WritesWithOne):
    def simulated(self, recipe: Recipe, original: Any, wrong: Iterable[Change]) -> Any:
        import torch

        wrong = tuple(wrong)

        def generate(
            model: Any, prompt: Any, count: int, temperature: float = 0.0, generator: Any = None
        ) -> Any:
            if temperature:
                return original(model, prompt, count, temperature, generator)
            weights = (each.detach().double().numpy() for each in (model.embedding, model.output))
            args = (*weights, model.max_seq_length, prompt.numpy(), count)
            state = recipe.trace(Probe(args), wrong)
            model.longest = state.longest
            return torch.tensor(state.result)

        return generate


GENERATE = Recipe(
    "generate",
    lambda draw: probes(draw),
    (
        formulas(
            "speaking",
            "Your tokens match a choice from",
            "the logits of the last position",
            ("first-position", "the logits of the first position", lambda logits: logits[0]),
            (
                "mean-of-positions",
                "the mean of all positions' logits",
                lambda logits: logits.mean(0),
            ),
            ("largest-anywhere", "the largest logit at any position", lambda logits: logits.max(0)),
            hints=LAST,
            means=constant,
        ),
        Family(
            "speaking",
            LAST,
            means=constant,
            ways={
                "last-but-one": (
                    "Your tokens match a choice from the logits of the second-last position. "
                    "They predict the token that is already last.",
                    lambda logits: logits[max(len(logits) - 2, 0)],
                ),
            },
        ),
        Family(
            "choose",
            CHOICE,
            means=constant,
            ways={
                "least-likely": (
                    "Each new token is the unlikeliest one. It should be the likeliest.",
                    lambda logits: int(logits.argmin()),
                ),
                "largest-size": (
                    "Each new token is the one whose logit has the largest absolute value.",
                    lambda logits: int(np.abs(logits).argmax()),
                ),
                "never-word-0": (
                    "Token 0 is never chosen, as if it were padding.",
                    lambda logits: int(logits[1:].argmax()) + 1,
                ),
            },
        ),
        Family(
            "context",
            CONTEXT,
            {
                "first-tokens": (
                    "The model gets the first max_seq_length tokens. It should get the last "
                    "max_seq_length tokens.",
                    lambda s: lambda tokens: tokens[: s.limit],
                ),
                "context-too-short": (
                    "In your code, the model gets one token less than it can take.",
                    lambda s: (
                        lambda tokens: tokens[-(s.limit - 1) :] if s.limit > 1 else tokens[-1:]
                    ),
                ),
                "last-token-only": (
                    "In your code, the model gets only the newest token.",
                    lambda s: lambda tokens: tokens[-1:],
                ),
                "prompt-only": (
                    "In your code, the model sees only the prompt, never the tokens that were "
                    "added.",
                    lambda s: lambda tokens: tokens[: len(s.prompt)][-s.limit :],
                ),
                "new-words-only": (
                    "After the first new token, the model sees only the new tokens, without the "
                    "prompt.",
                    lambda s: lambda tokens: (tokens[len(s.prompt) :] or tokens)[-s.limit :],
                ),
                "context-reversed": (
                    "In your code, the model gets the tokens in reverse order.",
                    lambda s: lambda tokens: tokens[-s.limit :][::-1],
                ),
            },
        ),
        formulas(
            "result",
            "Your code returns",
            "the prompt and all new tokens",
            (
                "prompt-missing",
                "only the new tokens",
                lambda s: np.array(s.tokens[len(s.prompt) :]),
            ),
            ("last-word-only", "only the last token", lambda s: np.array(s.tokens[-1:])),
            ("prompt-returned", "only the prompt", lambda s: np.array(s.prompt)),
            hints=RESULT,
        ),
        Family(
            None,
            RESULT,
            {
                "one-too-many": (
                    "Your code returns one new token too many.",
                    {"number": lambda s: s.count + 1},
                ),
                "one-at-least": (
                    "For no new tokens (max_new_tokens = 0), your code adds one.",
                    {"number": lambda s: max(s.count, 1)},
                ),
                "one-too-few": (
                    "Your code returns one new token too few.",
                    {"number": lambda s: s.count - 1},
                ),
                "counts-the-prompt": (
                    "Your code uses max_new_tokens as the length of the whole result. It should "
                    "be the number of new tokens.",
                    {"number": lambda s: max(s.count - len(s.prompt), 0)},
                ),
                "result-cut": (
                    "Your code cuts off the first tokens of the result. Only what the model gets "
                    "should be cut to max_seq_length.",
                    {"result": lambda s: np.array(s.tokens[-s.limit :])},
                    {"append": lambda s: lambda tokens, word: [*tokens[-s.limit :], word]},
                ),
                "new-words-in-front": (
                    "New tokens are put before the prompt. They should come after it.",
                    {"append": lambda s: lambda tokens, word: [word, *tokens]},
                ),
                "prompt-shifted-out": (
                    "Your code removes the first token whenever it appends a new one, so the "
                    "result is only as long as the prompt.",
                    {"append": lambda s: lambda tokens, word: [*tokens[1:], word]},
                ),
            },
        ),
    ),
    steps=STEPS,
    parameters=("embedding", "output", "limit", "prompt", "count"),
    traits=(
        Trait(
            lambda s: len(s.prompt) + s.count - 1 > s.limit,
            "for more than max_seq_length tokens",
            "for at most max_seq_length tokens",
        ),
        Trait(
            lambda s: len(s.prompt) > 1,
            "for a prompt of several tokens",
            "for a prompt of one token",
        ),
        Trait(lambda s: s.count > 1, "for several new tokens", "for one new token or none"),
    ),
    caller=Written(),
)


def probes(draw: int) -> Sequence[Probe]:
    rng = np.random.default_rng([37, draw])

    def case(words: int, length: int, count: int, limit: int) -> Probe:
        embedding, output = rng.normal(size=(words, 5)), 1.5 * rng.normal(size=(words, 5))
        return float32_probe(
            Probe((embedding, output, limit, rng.integers(words, size=length), count))
        )

    return [
        case(6, 1, 4, 50),
        case(9, 3, 6, 50),
        case(12, 5, 1, 50),
        case(12, 4, 5, 60),
        case(7, 3, 0, 50),
        case(8, 6, 0, 4),
        case(10, 2, 8, 4),
        case(11, 7, 4, 3),
        case(9, 6, 5, 6),
        case(14, 9, 6, 5),
    ]
