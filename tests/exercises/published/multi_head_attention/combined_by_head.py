import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("the heads do not fit")
        self.heads = num_heads
        self.qkv_proj = nn.Linear(d_model, 3 * d_model)
        self.o_proj = nn.Linear(d_model, d_model)

    def forward(self, x, mask=None):
        b, n, e = x.shape
        qkv = self.qkv_proj(x).reshape(b, n, self.heads, 3 * e // self.heads)
        q, k, v = qkv.permute(0, 2, 1, 3).chunk(3, dim=-1)
        dots = torch.einsum("bhid,bhjd->bhij", q, k) * (e // self.heads) ** -0.5
        if mask is not None:
            if mask.dim() == 3:
                mask = mask[:, None]
            dots = dots.masked_fill(~mask.bool(), float("-inf"))
        attn = dots.softmax(dim=-1)
        out = torch.einsum("bhij,bhjd->bhid", attn, v)
        return self.o_proj(out.permute(0, 2, 1, 3).reshape(b, n, e)), attn
