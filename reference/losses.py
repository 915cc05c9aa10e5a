"""Next-token loss in NumPy, and a correct training."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from reference.attention import Array
from reference.generating import Tokens


def right_loss(logits: Array, tokens: Tokens) -> float:
    """Return the mean cross-entropy of token t + 1 at position t."""
    shifted = logits[:, :-1].astype(float)
    scores = shifted - shifted.max(-1, keepdims=True)
    logarithms = scores - np.log(np.exp(scores).sum(-1, keepdims=True))
    chosen = np.take_along_axis(logarithms, tokens[:, 1:, None], -1)
    return float(-chosen.mean())


def right_gradient(logits: Array, tokens: Tokens) -> Array:
    """Return the gradient of `right_loss` with respect to the logits."""
    shifted = logits[:, :-1].astype(float)
    e = np.exp(shifted - shifted.max(-1, keepdims=True))
    gradient = np.zeros(logits.shape)
    gradient[:, :-1] = e / e.sum(-1, keepdims=True)
    gradient[:, :-1] -= np.eye(logits.shape[-1])[tokens[:, 1:]]
    return gradient / tokens[:, 1:].size


def right_losses(
    weights: tuple[Array, Array], batches: Sequence[Tokens], steps: int, lr: float
) -> tuple[Array, Any]:
    """Return the losses of a correct training, and the final embedding."""
    import torch

    from reference import small_models, training

    model = small_models.MeanModel(*(torch.from_numpy(each).double() for each in weights))
    losses = training.train(model, [torch.from_numpy(each) for each in batches], steps, lr)
    return np.array(losses), small_models.rows(model).numpy()
