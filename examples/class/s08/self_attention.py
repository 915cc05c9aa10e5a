import torch
import torch.nn.functional as F
from torch import nn


class ScaledDotProductAttention(nn.Module):
    def __init__(self, dropout=0.1):
        super().__init__()
        self.dropout = nn.Dropout(dropout)

    def forward(self, query, key, value, mask=None):
        allowed = None if mask is None else mask.bool()
        eye = torch.eye(key.size(-2)).expand(*key.shape[:-2], -1, -1)
        weights = F.scaled_dot_product_attention(query, key, eye, attn_mask=allowed)
        return self.dropout(weights) @ value, weights


class SelfAttention(nn.Module):
    def __init__(self, d_model, d_k=None, d_v=None):
        super().__init__()
        d_k, d_v = d_k or d_model, d_v or d_model
        for name, n, m in [("q", d_model, d_k), ("k", d_model, d_k), ("v", d_model, d_v), ("o", d_v, d_model)]:
            setattr(self, "W_" + name, nn.Linear(n, m, bias=False))
        self.dot = ScaledDotProductAttention(dropout=0.0)

    def forward(self, x, mask=None):
        output, weights = self.dot(self.W_q(x), self.W_k(x), self.W_v(x), mask)
        return self.W_o(output), weights
