import torch
from torch.nn.functional import cross_entropy


def next_token_loss(logits, tokens):
    return cross_entropy(logits[:, :-1].transpose(1, 2), tokens[:, 1:])


def train(model, batches, steps, lr):
    was_training = model.training
    model.train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=lr)
    losses = []
    for step in range(steps):
        tokens = batches[step % len(batches)]
        loss = next_token_loss(model(tokens), tokens)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    model.train(was_training)
    return losses


@torch.no_grad()
def generate(model, prompt, max_new_tokens, temperature=0.0, generator=None):
    tokens = prompt
    for _ in range(max_new_tokens):
        logits = model(tokens[-model.max_seq_length :].unsqueeze(0))[0, -1]
        shares = torch.softmax(logits / (temperature + (temperature == 0)), dim=-1)
        tokens = torch.cat([tokens, torch.multinomial(shares, 1, generator=generator)])
    return tokens
