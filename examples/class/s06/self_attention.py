import torch
from torch import nn


def softmax(scores):
    scores = scores - scores.amax(dim=-1, keepdim=True)
    e = torch.exp(scores)
    return e / e.sum(dim=-1, keepdim=True)


class ScaledDotProductAttention(nn.Module):
    def __init__(self, dropout=0.1):
        super().__init__()
        self.rate = dropout

    def forward(self, query, key, value, mask=None):
        d_k = torch.tensor(key.shape[-1], dtype=key.dtype)
        scores = (query @ key.swapaxes(-2, -1)) / torch.sqrt(d_k)
        if mask is not None:
            scores = scores - 1e9 * (1 - mask.to(scores.dtype))
        weights = softmax(scores)
        used = weights
        if self.training and self.rate > 0:
            keep = (torch.rand_like(weights) >= self.rate).to(weights.dtype)
            used = weights * keep / (1 - self.rate)
        return used @ value, weights


class SelfAttention(nn.Module):
    def __init__(self, d_model, d_k=None, d_v=None):
        super().__init__()
        d_k = d_model if d_k is None else d_k
        d_v = d_model if d_v is None else d_v
        self.query = nn.Linear(d_model, d_k, bias=False)
        self.W_k = nn.Linear(d_model, d_k, bias=False)
        self.W_v = nn.Linear(d_model, d_v, bias=False)
        self.W_o = nn.Linear(d_v, d_model, bias=False)
        nn.init.xavier_uniform_(self.query.weight)
        self.register_buffer("calls", torch.zeros(1))

    def forward(self, x, mask=None):
        attention = ScaledDotProductAttention(dropout=0.0)
        output, weights = attention(self.query(x), self.W_k(x), self.W_v(x), mask)
        return [self.W_o(output), weights]
