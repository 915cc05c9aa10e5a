# mistake: the gradients are never cleared
import torch
import torch.nn.functional as F


def next_token_loss(logits, tokens):
    return F.cross_entropy(logits[:, :-1].transpose(1, 2), tokens[:, 1:])


def train(model, batches, steps, lr):
    mode = model.training
    opt = torch.optim.AdamW(model.parameters(), lr)
    history = []
    for i in range(steps):
        batch = batches[i % len(batches)]
        loss = next_token_loss(model(batch), batch)
        loss.backward()
        history.append(float(loss))
        opt.step()
    if mode:
        model.train()
    else:
        model.eval()
    return history


@torch.no_grad()
def generate(model, prompt, max_new_tokens, temperature=0.0, generator=None):
    out = prompt.clone()
    for _ in range(max_new_tokens):
        last = model(out[None, -model.max_seq_length:])[0, -1, :]
        if temperature <= 0:
            nxt = torch.argmax(last)[None]
        else:
            nxt = torch.multinomial(F.softmax(last / temperature, -1), num_samples=1, generator=generator)
        out = torch.cat((out, nxt))
    return out
