import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.mha = nn.MultiheadAttention(d_model, num_heads, batch_first=True)

    def forward(self, x, mask=None):
        if mask is not None:
            mask = mask == 0
            if mask.dim() == 4:
                mask = mask.squeeze(1)
            if mask.dim() == 3:
                mask = mask.repeat_interleave(self.num_heads, 0)
        return self.mha(x, x, x, attn_mask=mask, average_attn_weights=False)
