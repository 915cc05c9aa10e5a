import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("sizes")
        self.h = num_heads
        self.W_q = nn.Parameter(torch.randn(d_model, d_model))
        self.W_k = nn.Parameter(torch.randn(d_model, d_model))
        self.W_v = nn.Parameter(torch.randn(d_model, d_model))
        self.W_o = nn.Parameter(torch.randn(d_model, d_model))

    def forward(self, x, mask=None):
        b, n, e = x.shape
        q, k, v = (
            (x @ w).view(b, n, self.h, -1).transpose(1, 2) for w in (self.W_q, self.W_k, self.W_v)
        )
        s = q @ k.transpose(-2, -1) / (e // self.h) ** 0.5
        if mask is not None:
            s = s.masked_fill((mask[:, None] if mask.dim() == 3 else mask) == 0, -1e9)
        w = s.softmax(-1)
        return (w @ v).transpose(1, 2).reshape(b, n, e) @ self.W_o, w
