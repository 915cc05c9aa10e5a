"""The course's own AdamW takes the steps of torch's."""

import torch

from reference.training import BETAS, EPSILON, WEIGHT_DECAY, AdamW


def test_adamw_takes_the_steps_of_torchs():
    random = torch.Generator().manual_seed(0)
    start = [torch.randn(3, 4, generator=random), torch.zeros(4)]
    own, torchs = ([value.clone().requires_grad_() for value in start] for _ in range(2))
    optimizers = AdamW(own, lr=0.05), torch.optim.AdamW(torchs, lr=0.05)
    for _ in range(20):
        inputs = torch.randn(5, 3, generator=random)
        for optimizer, (weight, bias) in zip(optimizers, (own, torchs), strict=True):
            optimizer.zero_grad()
            ((inputs @ weight + bias).tanh() ** 2).sum().backward()
            optimizer.step()
        for mine, right in zip(own, torchs, strict=True):
            torch.testing.assert_close(mine, right, rtol=0, atol=1e-6)
    assert not torch.allclose(own[0], start[0], atol=0.1)  # they went somewhere
    defaults = optimizers[1].defaults
    assert defaults["betas"] == BETAS
    assert (defaults["eps"], defaults["weight_decay"]) == (EPSILON, WEIGHT_DECAY)
