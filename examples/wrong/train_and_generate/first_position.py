# mistake: the next word comes from the first position
import torch
from torch.distributions import Categorical


criterion = torch.nn.CrossEntropyLoss()


def next_token_loss(logits, tokens):
    vocab = logits.size(-1)
    shift_logits = logits[..., :-1, :].contiguous()
    shift_labels = tokens[..., 1:].contiguous()
    return criterion(shift_logits.view(-1, vocab), shift_labels.view(-1))


def train(model, batches, steps, lr):
    was = model.training
    optimizer = torch.optim.AdamW(model.parameters(), lr=lr, betas=(0.9, 0.999))
    losses = [0.0] * steps
    for step in range(steps):
        tokens = batches[step % len(batches)]
        loss = next_token_loss(model(tokens), tokens)
        grads = torch.autograd.grad(loss, list(model.parameters()))
        for parameter, gradient in zip(model.parameters(), grads):
            parameter.grad = gradient
        optimizer.step()
        losses[step] = loss.item()
    model.train(was)
    return losses


def generate(model, prompt, max_new_tokens, temperature=0.0, generator=None):
    n = prompt.numel()
    tokens = torch.zeros(n + max_new_tokens, dtype=torch.long)
    tokens[:n] = prompt
    with torch.no_grad():
        for end in range(n, n + max_new_tokens):
            start = max(0, end - model.max_seq_length)
            logits = model(tokens[start:end].unsqueeze(0))[0, 0]
            if temperature == 0:
                tokens[end] = logits.argmax(-1)
            else:
                probs = Categorical(logits=logits / temperature).probs
                tokens[end] = torch.multinomial(probs, 1, generator=generator)[0]
    return tokens
