import torch
import torch.nn.functional as F
from torch import nn


class Attention(nn.Module):
    def __init__(self, e, h):
        super().__init__()
        self.h = h
        for n in "qkvo":
            setattr(self, f"W_{n}", nn.Linear(e, e, bias=False))

    def forward(self, x, mask=None):
        q, k, v = (w(x).unflatten(-1, (self.h, -1)).transpose(1, 2) for w in (self.W_q, self.W_k, self.W_v))
        mask = None if mask is None else mask.bool()
        out = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        return self.W_o(out.transpose(1, 2).flatten(2))


class TransformerBlock(nn.Module):
    def __init__(self, d_model, num_heads, d_ff):
        super().__init__()
        self.attention = Attention(d_model, num_heads)
        self.norm1, self.norm2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.feed_forward = nn.Sequential(nn.Linear(d_model, d_ff), nn.ReLU(), nn.Linear(d_ff, d_model))

    def forward(self, x, mask=None):
        x = self.norm1(self.attention(x, mask) + x)
        return self.norm2(self.feed_forward(x) + x)


class SimpleLanguageModel(nn.Module):
    def __init__(self, vocab_size, d_model, num_heads, d_ff, max_seq_length):
        super().__init__()
        self.max_seq_length = max_seq_length
        self.token_embedding = nn.Embedding(vocab_size, d_model)
        self.position_embedding = nn.Embedding(max_seq_length, d_model)
        self.block = TransformerBlock(d_model, num_heads, d_ff)
        self.output_projection = nn.Linear(d_model, vocab_size)
        self.register_buffer("causal", torch.tril(torch.ones(max_seq_length, max_seq_length)))

    def forward(self, tokens):
        L = tokens.shape[1]
        if L > self.max_seq_length:
            raise ValueError(f"sequence of {L} > max_seq_length {self.max_seq_length}")
        h = self.token_embedding(tokens) + self.position_embedding.weight[:L]
        return self.output_projection(self.block(h))
