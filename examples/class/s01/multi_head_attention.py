import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        d, rest = divmod(d_model, num_heads)
        if rest:
            raise ValueError("cannot divide %d by %d" % (d_model, num_heads))
        self.h, self.d = num_heads, d
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x, mask=None):
        b, l, e = x.shape
        q, k, v = (w(x).reshape(b, l, self.h, self.d) for w in (self.W_q, self.W_k, self.W_v))
        scores = torch.einsum("bqhd,bkhd->bhqk", q, k) / self.d**0.5
        if mask is not None:
            allowed = mask.bool()
            while allowed.dim() < 4:
                allowed = allowed.unsqueeze(-3)
            scores = scores.masked_fill(~allowed, torch.finfo(scores.dtype).min)
        weights = scores.softmax(dim=-1)
        mixed = torch.einsum("bhqk,bkhd->bqhd", weights, v).reshape(b, l, e)
        return self.W_o(mixed), weights
