"""Small models for training and text generation, with helper functions.

A student's process also runs this file, so it contains no secret and no answer.
"""

import torch
from torch import Tensor, nn


class MeanModel(nn.Module):
    """Model whose logits depend on the current word and the mean of all words so far.

    Tokens `(B, L)` give logits `(B, L, V)`. More than `max_seq_length` tokens raise an error.
    """

    def __init__(self, embedding: Tensor, output: Tensor, max_seq_length: int = 1000) -> None:
        super().__init__()
        self.embedding = nn.Parameter(embedding.clone())
        self.output = nn.Parameter(output.clone())
        self.max_seq_length = max_seq_length
        self.longest = 0
        self.last_training: bool | None = None

    def forward(self, tokens: Tensor) -> Tensor:
        length = tokens.shape[1]
        if length > self.max_seq_length:
            raise ValueError(f"{length} tokens, but at most {self.max_seq_length} have a position")
        self.longest = max(self.longest, length)
        if (
            torch.is_grad_enabled()
        ):  # a loss that is only computed for a report may be in evaluation
            self.last_training = self.training
        x = self.embedding[tokens]
        before = x.cumsum(1) / torch.arange(1, length + 1).unsqueeze(-1)
        return torch.tanh(x + before) @ self.output.T


def rows(model: MeanModel) -> Tensor:
    """Return the model's current embedding."""
    return model.embedding.detach()


def in_mode(model: nn.Module, training: bool) -> nn.Module:
    return model.train(training)


def with_gradients(model: nn.Module) -> nn.Module:
    """Give each weight a gradient of 1, as if the model had been used before."""
    for weight in model.parameters():
        weight.grad = torch.ones_like(weight)
    return model


def generator(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def with_gradient(loss: object, logits: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor | None]:
    logits = logits.clone().requires_grad_()
    value = loss(logits, tokens)  # type: ignore[operator]
    if not isinstance(value, Tensor) or not value.requires_grad:
        return value, None
    value.sum().backward()
    return value.detach(), logits.grad
