import torch
import torch.nn as nn


class ScaledDotProductAttention(nn.Module):
    def __init__(self, dropout=0.1):
        super().__init__()
        self.drop = nn.Dropout(p=dropout)

    def forward(self, query, key, value, mask=None):
        scores = torch.einsum("...qd,...kd->...qk", query, key) * query.shape[-1] ** -0.5
        if mask is not None:
            scores = torch.where(mask.bool(), scores, torch.finfo(scores.dtype).min)
        weights = scores.softmax(-1)
        return torch.einsum("...qk,...kv->...qv", self.drop(weights), value), weights


class SelfAttention(nn.Module):
    def __init__(self, d_model, d_k=None, d_v=None):
        super().__init__()
        self.W_q = nn.Linear(d_model, d_k or d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_k or d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_v or d_model, bias=False)
        self.W_o = nn.Linear(d_v or d_model, d_model, bias=False)
        self.core = ScaledDotProductAttention(0)

    def forward(self, x, mask=None):
        mixed, weights = self.core(self.W_q(x), self.W_k(x), self.W_v(x), mask=mask)
        return self.W_o(mixed), weights
