# kind: wrong
# mistake: the block's result is normalised once more
import math

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x, mask=None):
        query, key, value = (
            projection(x).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            for projection in (self.W_q, self.W_k, self.W_v)
        )
        scores = query @ key.transpose(-2, -1) / math.sqrt(key.size(-1))
        if mask is not None:
            scores = scores.masked_fill(mask == 0, float("-inf"))
        weights = torch.softmax(scores, dim=-1)
        return self.W_o((weights @ value).transpose(1, 2).flatten(2)), weights


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
        attended, _ = self.attention(x, mask)
        x = self.norm1(x + attended)
        return self.norm2(x + self.feed_forward(x))


class SimpleLanguageModel(nn.Module):
    def __init__(self, vocab_size, d_model, num_heads, d_ff, max_seq_length):
        super().__init__()
        self.max_seq_length = max_seq_length
        self.token_embedding = nn.Embedding(vocab_size, d_model)
        self.position_embedding = nn.Embedding(max_seq_length, d_model)
        self.block = TransformerBlock(d_model, num_heads, d_ff)
        self.norm = nn.LayerNorm(d_model)
        self.output_projection = nn.Linear(d_model, vocab_size)

    def forward(self, tokens):
        length = tokens.size(1)
        if length > self.max_seq_length:
            raise ValueError(f"{length} tokens, but only {self.max_seq_length} positions")
        x = self.token_embedding(tokens) + self.position_embedding(torch.arange(length))
        causal = torch.ones(length, length).tril()
        return self.output_projection(self.norm(self.block(x, causal)))
