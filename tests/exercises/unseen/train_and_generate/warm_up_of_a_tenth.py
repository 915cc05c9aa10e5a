# kind: wrong
# mistake: the learning rate grows over the first tenth of the steps
import torch
from torch import nn


def next_token_loss(logits, tokens):
    predictions = logits[:, :-1].flatten(0, 1)
    targets = tokens[:, 1:].flatten()
    return nn.functional.cross_entropy(predictions, targets)


def train(model, batches, steps, lr):
    was_training = model.training
    model.train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=lr)
    warm_up = max(1, steps // 10)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda n: min(1.0, (n + 1) / warm_up))
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
