import math

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError(f"{d_model} features for {num_heads} heads")
        self.num_heads = num_heads
        self.d_model = d_model
        self.d_k = d_model // num_heads
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)
        self.mask = None

    def split(self, x):
        batch, length, _ = x.shape
        return x.view(batch, length, self.num_heads, self.d_k).transpose(1, 2)

    def forward(self, x, mask=None):
        query, key, value = (
            self.split(self.W_q(x)),
            self.split(self.W_k(x)),
            self.split(self.W_v(x)),
        )
        scores = query @ key.transpose(-2, -1) / math.sqrt(self.d_k)
        if mask is not None:
            self.mask = mask.unsqueeze(1) if mask.dim() == 3 else mask
        if self.mask is not None and self.mask.size(-1) == x.size(1):
            scores = scores.masked_fill(self.mask == 0, float("-inf"))
        weights = torch.softmax(scores, dim=-1)
        out = (weights @ value).transpose(1, 2).contiguous().view(x.size(0), -1, self.d_model)
        return self.W_o(out), weights
