import torch
import torch.nn.functional as F
from torch import nn


class Head(nn.Module):
    def __init__(self, d_model, size):
        super().__init__()
        self.query = nn.Linear(d_model, size, bias=False)
        self.key = nn.Linear(d_model, size, bias=False)
        self.value = nn.Linear(d_model, size, bias=False)

    def forward(self, x, mask):
        q, k, v = self.query(x), self.key(x), self.value(x)
        scores = q @ k.transpose(-2, -1) * k.shape[-1] ** -0.5
        if mask is not None:
            scores = scores.masked_fill(mask == 0, float("-inf"))
        weights = F.softmax(scores, dim=-1)
        return weights @ v, weights


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("sizes")
        self.heads = nn.ModuleList([Head(d_model, d_model // num_heads) for _ in range(num_heads)])
        self.proj = nn.Linear(d_model, d_model)

    def forward(self, x, mask=None):
        if mask is not None and mask.dim() == 4:
            mask = mask.squeeze(1)
        outs, weights = zip(*(head(x, mask) for head in self.heads))
        return self.proj(torch.cat(outs, dim=-1)), torch.stack(weights, dim=1)
