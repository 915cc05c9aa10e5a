# mistake: a mask (B, L, L) meets the heads
import math

import torch
from torch import nn


class Heads(nn.Module):
    def __init__(self, heads):
        super().__init__()
        self.heads = heads

    def forward(self, q, k, v, mask):
        q, k, v = (t.unflatten(-1, (self.heads, -1)).transpose(-3, -2) for t in (q, k, v))
        scores = q.matmul(k.mT).div(math.sqrt(k.size(-1)))
        if mask is not None:
            scores.masked_fill_(mask.eq(0), -float("inf"))
        weights = scores.softmax(-1)
        return weights.matmul(v).transpose(-3, -2).flatten(-2), weights


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError(f"{num_heads} heads for {d_model} features")
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)
        self.heads = Heads(num_heads)

    def forward(self, x, mask=None):
        out, weights = self.heads(self.W_q(x), self.W_k(x), self.W_v(x), mask)
        return self.W_o(out), weights
