"""Loss, training and text generation of a language model. Imports torch.

Sources: the loss is the cross-entropy of the next word (Bengio et al., 2003, eq. 1 and section 2);
AdamW is that of Loshchilov & Hutter (2019), with torch's defaults.
"""

from collections.abc import Sequence

import torch
from torch import Tensor, nn


def next_token_loss(logits: Tensor, tokens: Tensor) -> Tensor:
    """Return the mean cross-entropy of token t + 1 at position t, from `(B, L, V)` and `(B, L)`."""
    return nn.functional.cross_entropy(logits[:, :-1].flatten(0, 1), tokens[:, 1:].flatten())


def train(model: nn.Module, batches: Sequence[Tensor], steps: int, lr: float) -> list[float]:
    """Return the loss of each step, measured before the step."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=lr)
    losses = []
    for step in range(steps):
        tokens = batches[step % len(batches)]
        loss = next_token_loss(model(tokens), tokens)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(float(loss.detach()))
    return losses
