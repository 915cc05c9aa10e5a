import math

import torch
from torch import nn


def one(q, k, v, mask, drop):
    rows, mixed = [], []
    for i in range(q.shape[0]):
        scores = torch.stack([torch.dot(q[i], k[j]) / math.sqrt(q.shape[1]) for j in range(k.shape[0])])
        if mask is not None:
            row = mask[i] if mask.shape[0] > 1 else mask[0]
            scores = torch.where(row.to(torch.bool), scores, torch.tensor(-math.inf))
        w = torch.softmax(scores, 0)
        rows.append(w)
        mixed.append(drop(w) @ v)
    return torch.stack(mixed), torch.stack(rows)


def many(q, k, v, mask, drop):
    if q.dim() == 2:
        return one(q, k, v, mask, drop)
    parts = [many(q[b], k[b], v[b], mask[b % len(mask)] if mask is not None and mask.dim() == q.dim() else mask, drop) for b in range(q.shape[0])]
    return torch.stack([p[0] for p in parts]), torch.stack([p[1] for p in parts])


class ScaledDotProductAttention(nn.Module):
    def __init__(self, dropout=0.1):
        super().__init__()
        self.dropout = nn.Dropout(dropout)

    def forward(self, query, key, value, mask=None):
        return many(query, key, value, mask, self.dropout)


class SelfAttention(nn.Module):
    def __init__(self, d_model, d_k=None, d_v=None):
        super().__init__()
        self.W_q = nn.Linear(d_model, d_k if d_k is not None else d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_k if d_k is not None else d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_v if d_v is not None else d_model, bias=False)
        self.W_o = nn.Linear(d_v if d_v is not None else d_model, d_model, bias=False)

    def forward(self, x, mask=None):
        out, w = many(self.W_q(x), self.W_k(x), self.W_v(x), mask, lambda t: t)
        return self.W_o(out), w
