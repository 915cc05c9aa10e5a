import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("the heads do not fit")
        self.heads = num_heads
        self.to_q = nn.Linear(d_model, d_model, bias=False)
        self.to_kv = nn.Linear(d_model, 2 * d_model, bias=False)
        self.to_out = nn.Sequential(nn.Linear(d_model, d_model), nn.Dropout(0.0))

    def forward(self, x, mask=None):
        b, n, e = x.shape
        parts = (self.to_q(x), *self.to_kv(x).chunk(2, dim=-1))
        q, k, v = (t.reshape(b, n, self.heads, -1).permute(0, 2, 1, 3) for t in parts)
        sim = q @ k.mT * (e // self.heads) ** -0.5
        if mask is not None:
            if mask.dim() == 3:
                mask = mask[:, None]
            sim = sim.masked_fill(~mask.bool(), float("-inf"))
        attn = sim.softmax(dim=-1)
        return self.to_out((attn @ v).permute(0, 2, 1, 3).reshape(b, n, e)), attn
