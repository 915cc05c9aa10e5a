"""Training and text generation with the mistakes that the checks name themselves."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from reference.misconceptions.train_and_generate.training import Loop


def _train(training: bool) -> Callable[..., Any]:
    def train(model: Any, batches: list[Tensor], steps: int, lr: float) -> Any:
        losses = Loop().run(model, batches, steps, lr)
        model.train(training)
        return losses

    return train


def _generate(
    probabilities: Callable[[Tensor, float], Tensor], own: int | None = None
) -> Callable[..., Any]:
    def generate(
        model: Any, prompt: Tensor, count: int, temperature: float = 0.0, generator: Any = None
    ) -> Tensor:
        tokens = prompt
        if own is not None:
            generator = torch.Generator().manual_seed(own) if own else None
        for _ in range(count):
            logits = model(tokens[-model.max_seq_length :].unsqueeze(0))[0, -1].detach()
            if temperature == 0:
                word = logits.argmax().unsqueeze(0)
            else:
                chances = probabilities(logits, temperature)
                word = torch.multinomial(chances, 1, generator=generator)
            tokens = torch.cat([tokens, word])
        return tokens

    return generate


def _right(logits: Tensor, temperature: float) -> Tensor:
    return (logits / temperature).softmax(-1)


def _loss_as_a_number(logits: Tensor, tokens: Tensor) -> float:
    predictions, targets = logits[:, :-1].flatten(0, 1), tokens[:, 1:].flatten()
    return float(torch.nn.functional.cross_entropy(predictions, targets).detach())


SIMULATED: tuple[tuple[str, str, Callable[..., Any]], ...] = (
    ("next_token_loss", "gradient-cut", _loss_as_a_number),
    ("train", "mode-changed", _train(True)),
    ("train", "mode-changed", _train(False)),
    ("generate", "temperature-ignored", _generate(lambda x, t: x.softmax(-1))),
    ("generate", "temperature-multiplied", _generate(lambda x, t: (x * t).softmax(-1))),
    ("generate", "always-greedy", _generate(lambda x, t: (1e6 * x).softmax(-1))),
    ("generate", "drawn-evenly", _generate(lambda x, t: torch.ones_like(x))),
    (
        "generate",
        "temperature-after-softmax",
        _generate(lambda x, t: (x.softmax(-1) / t).softmax(-1)),
    ),
    ("generate", "softmax-twice", _generate(lambda x, t: _right(x, t).softmax(-1))),
    ("generate", "drawn-otherwise", _generate(lambda x, t: (x / t**2 + 1).relu() + 1e-3)),
    ("generate", "generator-ignored", _generate(_right, own=0)),
    ("generate", "generator-ignored", _generate(_right, own=3)),
)
