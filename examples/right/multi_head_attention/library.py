import torch
import torch.nn.functional as F
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError(f"num_heads={num_heads} does not divide d_model={d_model}")
        self.num_heads = num_heads
        for name in "qkvo":
            self.add_module(f"W_{name}", nn.Linear(d_model, d_model, bias=False))

    def forward(self, x, mask=None):
        joined = torch.cat([self.W_q.weight, self.W_k.weight, self.W_v.weight])
        blocked = None
        if mask is not None:
            mask = mask.to(torch.bool)
            if mask.dim() == 4:
                mask = mask[:, 0]
            blocked = ~mask
            if blocked.dim() == 3:
                blocked = blocked.repeat_interleave(self.num_heads, dim=0)
        y = x.transpose(0, 1)
        output, weights = F.multi_head_attention_forward(
            y, y, y, x.size(-1), self.num_heads, joined, None, None, None, False, 0.0,
            self.W_o.weight, None, training=False, attn_mask=blocked, average_attn_weights=False,
        )
        return output.transpose(0, 1), weights
