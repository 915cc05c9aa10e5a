import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError(f"{d_model} features for {num_heads} heads")
        self.num_heads = num_heads
        self.d_model = d_model
        self.d_k = d_model // num_heads
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)

    def split(self, x):
        batch, length, _ = x.shape
        return x.view(batch, length, self.num_heads, self.d_k).transpose(1, 2)

    def forward(self, x, mask=None):
        query, key, value = (
            self.split(self.W_q(x)),
            self.split(self.W_k(x)),
            self.split(self.W_v(x)),
        )
        scores = query @ key.transpose(-2, -1) / self.d_k**0.5
        if mask is not None:
            if mask.dim() == 3:
                mask = mask.unsqueeze(1)
            scores = scores.masked_fill(mask == 0, float("-inf"))
        weights = torch.softmax(scores, dim=-1)
        out = (weights @ value).transpose(1, 2).contiguous().view(x.size(0), -1, self.d_model)
        return self.W_o(out), weights


class TransformerBlock(nn.Module):
    def __init__(self, d_model, num_heads, d_ff):
        super().__init__()
        self.attention = MultiHeadAttention(d_model, num_heads)
        self.norm1 = nn.LayerNorm(d_model)
        self.feed_forward = nn.Sequential(
            nn.Linear(d_model, d_ff), nn.ReLU(), nn.Linear(d_ff, d_model)
        )
        self.norm2 = nn.LayerNorm(d_model)

    def forward(self, x, mask=None):
        x = x + self.attention(self.norm1(x), mask)[0]
        return x + self.feed_forward(self.norm2(x))


class SimpleLanguageModel(nn.Module):
    def __init__(self, vocab_size, d_model, num_heads, d_ff, max_seq_length):
        super().__init__()
        self.max_seq_length = max_seq_length
        self.token_embedding = nn.Embedding(vocab_size, d_model)
        self.position_embedding = nn.Embedding(max_seq_length, d_model)
        self.block = TransformerBlock(d_model, num_heads, d_ff)
        self.output_projection = nn.Linear(d_model, vocab_size)

    def forward(self, tokens):
        length = tokens.shape[1]
        if length > self.max_seq_length:
            raise ValueError("too long")
        mask = torch.tril(torch.ones(length, length))
        x = self.token_embedding(tokens) + self.position_embedding(torch.arange(length))
        x = self.block(x, mask)
        return self.output_projection(x)
