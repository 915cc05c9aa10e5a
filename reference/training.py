"""Loss, training and text generation of a language model. Imports torch.

Sources: the loss is the cross-entropy of the next word (Bengio et al., 2003, eq. 1 and section 2);
AdamW is that of Loshchilov & Hutter (2019), with torch's defaults. AdamW is implemented here
because torch's version imports torch's compiler, which takes more than a second.
"""

from collections.abc import Iterable, Sequence

import torch
from torch import Tensor, nn


def next_token_loss(logits: Tensor, tokens: Tensor) -> Tensor:
    """Return the mean cross-entropy of token t + 1 at position t, from `(B, L, V)` and `(B, L)`."""
    return nn.functional.cross_entropy(logits[:, :-1].flatten(0, 1), tokens[:, 1:].flatten())


BETAS, EPSILON, WEIGHT_DECAY = (0.9, 0.999), 1e-8, 0.01


class AdamW:
    """Optimizer with decoupled weight decay, and with means of gradients and of their squares."""

    def __init__(self, parameters: Iterable[Tensor], lr: float) -> None:
        self.parameters = list(parameters)
        self.lr = lr
        self.steps = 0
        self.means = [torch.zeros_like(each) for each in self.parameters]
        self.squares = [torch.zeros_like(each) for each in self.parameters]

    def zero_grad(self) -> None:
        for each in self.parameters:
            each.grad = None

    def step(self) -> None:
        """Update the parameters. Each parameter must have a gradient."""
        self.steps += 1
        first, second = (1 - beta**self.steps for beta in BETAS)
        with torch.no_grad():
            for each, mean, square in zip(self.parameters, self.means, self.squares, strict=True):
                assert each.grad is not None
                each.mul_(1 - self.lr * WEIGHT_DECAY)
                mean.lerp_(each.grad, 1 - BETAS[0])
                square.mul_(BETAS[1]).addcmul_(each.grad, each.grad, value=1 - BETAS[1])
                each.addcdiv_(mean / first, (square / second).sqrt() + EPSILON, value=-self.lr)


def train(model: nn.Module, batches: Sequence[Tensor], steps: int, lr: float) -> list[float]:
    """Return the loss of each step, measured before the step."""
    optimizer = AdamW(model.parameters(), lr)
    losses = []
    for step in range(steps):
        tokens = batches[step % len(batches)]
        loss = next_token_loss(model(tokens), tokens)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(float(loss.detach()))
    return losses
