# mistake: the logits are multiplied by the temperature
import math

import torch
import torch.nn.functional as F


def next_token_loss(logits, tokens):
    one_hot = F.one_hot(tokens[:, 1:], logits.shape[-1]).to(logits.dtype)
    nll = -(one_hot * F.log_softmax(logits[:, :-1], dim=2)).sum(dim=2)
    return nll.mean()


def train(model, batches, steps, lr):
    opt = torch.optim.AdamW(params=model.parameters(), lr=lr)

    def one(step):
        def closure():
            opt.zero_grad()
            loss = next_token_loss(model(batches[step % len(batches)]), batches[step % len(batches)])
            loss.backward()
            return loss

        return float(opt.step(closure))

    return [one(step) for step in range(steps)]


def generate(model, prompt, max_new_tokens, temperature=0.0, generator=None):
    if max_new_tokens == 0:
        return prompt
    logits = model(prompt[-model.max_seq_length:].reshape(1, -1)).detach()[0, -1]
    if temperature > 0:
        word = torch.softmax(logits.mul(temperature), 0).multinomial(1, generator=generator)
    else:
        word = logits.argmax().reshape(1)
    rest = [word]
    tokens = torch.cat([prompt, word])
    for _ in range(max_new_tokens - 1):
        tokens = generate(model, tokens, 1, temperature, generator)
    return tokens
