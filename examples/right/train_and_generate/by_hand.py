import itertools

import torch


def next_token_loss(logits, tokens):
    B, L, V = logits.shape
    total = 0.0
    for b in range(B):
        for t in range(L - 1):
            z = logits[b, t]
            total = total + torch.logsumexp(z, dim=0) - z[tokens[b, t + 1]]
    return total / (B * (L - 1))


def train(model, batches, steps, lr):
    optimizer = torch.optim.AdamW(list(model.parameters()), lr=lr, weight_decay=0.01)
    losses = []
    for batch in itertools.islice(itertools.cycle(batches), steps):
        loss = next_token_loss(model(batch), batch)
        losses.append(loss.detach())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return torch.stack(losses).tolist()


def generate(model, prompt, max_new_tokens, temperature=0.0, generator=None):
    words = prompt.tolist()
    for _ in range(max_new_tokens):
        start = max(0, len(words) - model.max_seq_length)
        logits = model(torch.tensor([words[start:]])).detach()[0][-1]
        if temperature == 0.0:
            words.append(int(torch.argmax(logits)))
            continue
        p = torch.exp(logits / temperature - torch.max(logits / temperature))
        p = p / p.sum()
        u = torch.rand((), generator=generator)
        words.append(min(int((torch.cumsum(p, 0) < u).sum()), len(p) - 1))
    return torch.tensor(words, dtype=torch.long)
