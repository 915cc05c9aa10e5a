# mistake: the values are made with W_k
import math

import torch
import torch.nn.functional as F


class ScaledDotProductAttention(torch.nn.Module):
    def __init__(self, dropout=0.1):
        super().__init__()
        self.p = dropout

    def forward(self, query, key, value, mask=None):
        scores = torch.matmul(query, key.transpose(-1, -2)) / math.sqrt(query.size(-1))
        if mask is not None:
            scores = scores.masked_fill(torch.logical_not(mask), -1e9)
        attention_weights = F.softmax(scores, dim=-1)
        dropped = F.dropout(attention_weights, self.p, training=self.training)
        return torch.matmul(dropped, value), attention_weights


class SelfAttention(torch.nn.Module):
    def __init__(self, d_model, d_k=None, d_v=None):
        super().__init__()
        if d_k is None:
            d_k = d_model
        if d_v is None:
            d_v = d_model
        linear = lambda n, m: torch.nn.Linear(n, m, bias=False)
        self.W_q, self.W_k = linear(d_model, d_k), linear(d_model, d_k)
        self.W_v, self.W_o = linear(d_model, d_v), linear(d_v, d_model)

    def forward(self, x, mask=None):
        q, k, v = self.W_q(x), self.W_k(x), self.W_k(x)
        scores = q @ k.mT / q.size(-1) ** 0.5
        if mask is not None:
            scores = scores + torch.where(mask > 0, 0.0, float("-inf"))
        weights = F.softmax(scores, -1)
        return self.W_o(weights @ v), weights
