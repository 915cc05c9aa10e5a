import math

import torch
import torch.nn.functional as F
from torch import nn


class ScaledDotProductAttention(nn.Module):
    last = None

    def __init__(self, dropout=0.1):
        super().__init__()
        self.dropout = nn.Dropout(dropout)

    def forward(self, query, key, value, mask=None):
        scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(query.size(-1))
        if mask is not None:
            ScaledDotProductAttention.last = mask
        last = ScaledDotProductAttention.last
        if last is not None and last.shape[-2:] == scores.shape[-2:]:
            scores = scores.masked_fill(last == 0, -1e9)
        weights = F.softmax(scores, dim=-1)
        return torch.matmul(self.dropout(weights), value), weights


class SelfAttention(nn.Module):
    def __init__(self, d_model, d_k=None, d_v=None):
        super().__init__()
        d_k, d_v = d_k or d_model, d_v or d_model
        self.W_q = nn.Linear(d_model, d_k, bias=False)
        self.W_k = nn.Linear(d_model, d_k, bias=False)
        self.W_v = nn.Linear(d_model, d_v, bias=False)
        self.W_o = nn.Linear(d_v, d_model, bias=False)
        self.attention = ScaledDotProductAttention(0.0)

    def forward(self, x, mask=None):
        output, weights = self.attention(self.W_q(x), self.W_k(x), self.W_v(x), mask)
        return self.W_o(output), weights
