import torch
from torch import nn


def next_token_loss(logits, tokens):
    log_p = torch.log_softmax(logits, dim=-1)[:, :-1]
    picked = log_p.gather(-1, tokens[:, 1:].unsqueeze(-1))
    return -picked.mean()


def train(model, batches, steps, lr):
    state = model.training
    model.train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=lr)
    losses, k = [], 0
    while len(losses) < steps:
        loss = next_token_loss(model(batches[k]), batches[k])
        model.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        k = 0 if k + 1 == len(batches) else k + 1
    model.train(state)
    return losses


def generate(model, prompt, max_new_tokens, temperature=0.0, generator=None):
    def step(tokens):
        logits = model(tokens[-model.max_seq_length:].view(1, -1)).squeeze(0)[-1]
        if not temperature:
            return logits.max(dim=0).indices
        uniform = torch.rand(logits.shape, generator=generator).clamp_min(1e-12)
        gumbel = -torch.log(-torch.log(uniform))
        return torch.argmax(logits / temperature + gumbel)

    tokens = prompt
    with torch.inference_mode():
        for _ in range(max_new_tokens):
            tokens = torch.hstack([tokens, step(tokens)])
    return tokens
