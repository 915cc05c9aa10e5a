# mistake: the positions take no part
import torch
from torch import nn


class Norm(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(size))
        self.bias = nn.Parameter(torch.zeros(size))

    def forward(self, x):
        centred = x - x.mean(-1, keepdim=True)
        variance = (centred**2).mean(-1, keepdim=True)
        return centred / torch.sqrt(variance + 1e-5) * self.weight + self.bias


class SelfAttention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.W_q = nn.Linear(width, width, False)
        self.W_k = nn.Linear(width, width, False)
        self.W_v = nn.Linear(width, width, False)
        self.W_o = nn.Linear(width, width, False)
        self.heads = heads

    def forward(self, x, allowed):
        out = []
        size = x.shape[-1] // self.heads
        q, k, v = self.W_q(x), self.W_k(x), self.W_v(x)
        for h in range(self.heads):
            part = slice(h * size, (h + 1) * size)
            s = q[..., part] @ k[..., part].mT / size**0.5
            if allowed is not None:
                s = s.where(allowed.bool(), torch.tensor(float("-inf")))
            out.append(torch.softmax(s, -1) @ v[..., part])
        return self.W_o(torch.cat(out, -1))


class TransformerBlock(nn.Module):
    def __init__(self, d_model, num_heads, d_ff):
        super().__init__()
        self.attention = SelfAttention(d_model, num_heads)
        self.norm1 = Norm(d_model)
        self.feed_forward = nn.Sequential(nn.Linear(d_model, d_ff), nn.ReLU(), nn.Linear(d_ff, d_model))
        self.norm2 = Norm(d_model)

    def forward(self, x, mask=None):
        first = self.norm1(x + self.attention(x, mask))
        return self.norm2(first + self.feed_forward(first))


class SimpleLanguageModel(nn.Module):
    def __init__(self, vocab_size, d_model, num_heads, d_ff, max_seq_length):
        super().__init__()
        self.max_seq_length = max_seq_length
        self.token_embedding = nn.Embedding(vocab_size, d_model)
        self.position_embedding = nn.Embedding(max_seq_length, d_model)
        self.block = TransformerBlock(d_model, num_heads, d_ff)
        self.output_projection = nn.Linear(d_model, vocab_size)

    def forward(self, tokens):
        n = tokens.shape[-1]
        if n > self.max_seq_length:
            raise ValueError(f"{n} tokens do not fit into {self.max_seq_length} positions")
        places = torch.arange(n)
        x = self.token_embedding(tokens)
        return self.output_projection(self.block(x, places[:, None] >= places))
