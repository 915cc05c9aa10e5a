import torch
import torch.nn as nn
import torch.nn.functional as F


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError(f"{d_model} % {num_heads} != 0")
        self.num_heads = num_heads
        self.W_q, self.W_k, self.W_v, self.W_o = (
            nn.Linear(d_model, d_model, bias=False) for _ in range(4)
        )

    def to_heads(self, x):
        B, L, E = x.size()
        x = x.view(B, L, self.num_heads, E // self.num_heads)
        return x.permute(0, 2, 1, 3).contiguous().view(B * self.num_heads, L, -1)

    def forward(self, x, mask=None):
        B, L, E = x.size()
        q, k, v = self.to_heads(self.W_q(x)), self.to_heads(self.W_k(x)), self.to_heads(self.W_v(x))
        scores = (q @ k.permute(0, 2, 1)) * (E // self.num_heads) ** (-0.5)
        scores = scores.view(B, self.num_heads, L, L)
        if mask is not None:
            if mask.ndim == 3:
                mask = mask[:, None]
            scores = scores + (1.0 - mask.float()) * -1e9
        weights = F.softmax(scores, dim=-1)
        out = weights.view(-1, L, L) @ v
        out = out.view(B, self.num_heads, L, -1).permute(0, 2, 1, 3).reshape(B, L, E)
        return self.W_o(out), weights
