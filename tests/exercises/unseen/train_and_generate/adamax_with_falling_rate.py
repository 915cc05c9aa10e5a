# kind: pair
# mistake: the optimizer is Adamax, and the learning rate falls after each step
import torch
from torch import nn


def next_token_loss(logits, tokens):
    predictions = logits[:, :-1].flatten(0, 1)
    targets = tokens[:, 1:].flatten()
    return nn.functional.cross_entropy(predictions, targets)


def train(model, batches, steps, lr):
    was_training = model.training
    model.train()
    optimizer = torch.optim.Adamax(model.parameters(), lr=lr)
    schedule = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.9)
    losses = []
    for step in range(steps):
        tokens = batches[step % len(batches)]
        loss = next_token_loss(model(tokens), tokens)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
        losses.append(loss.item())
    model.train(was_training)
    return losses


def generate(model, prompt, max_new_tokens, temperature=0.0, generator=None):
    tokens = prompt
    with torch.no_grad():
        for _ in range(max_new_tokens):
            context = tokens[-model.max_seq_length :]
            logits = model(context.unsqueeze(0))[0, -1]
            if temperature == 0:
                chosen = logits.argmax().unsqueeze(0)
            else:
                probabilities = torch.softmax(logits / temperature, dim=-1)
                chosen = torch.multinomial(probabilities, 1, generator=generator)
            tokens = torch.cat([tokens, chosen])
    return tokens
