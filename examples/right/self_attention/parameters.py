import math

import torch
from torch import nn


class ScaledDotProductAttention(nn.Module):
    def __init__(self, dropout=0.1):
        super().__init__()
        self.dropout = nn.Dropout(dropout)

    def forward(self, query, key, value, mask=None):
        d_k = query.size(-1)
        scores = query @ key.transpose(-2, -1) / math.sqrt(d_k)
        if mask is not None:
            scores = scores.masked_fill(mask == 0, float("-inf"))
        weights = torch.softmax(scores, dim=-1)
        output = self.dropout(weights) @ value
        return output, weights


class SelfAttention(nn.Module):
    def __init__(self, d_model, d_k=None, d_v=None):
        super().__init__()
        d_k = d_model if d_k is None else d_k
        d_v = d_model if d_v is None else d_v
        self.W_q = nn.Parameter(torch.randn(d_model, d_k))
        self.W_k = nn.Parameter(torch.randn(d_model, d_k))
        self.W_v = nn.Parameter(torch.randn(d_model, d_v))
        self.W_o = nn.Parameter(torch.randn(d_v, d_model))
        self.attention = ScaledDotProductAttention(dropout=0.0)

    def forward(self, x, mask=None):
        output, weights = self.attention(x @ self.W_q, x @ self.W_k, x @ self.W_v, mask)
        return output @ self.W_o, weights
