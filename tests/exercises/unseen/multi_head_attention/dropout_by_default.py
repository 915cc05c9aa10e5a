# kind: wrong
# mistake: the weights are dropped while training
import math

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError(f"d_model = {d_model} cannot be shared by {num_heads} heads")
        self.num_heads = num_heads
        self.dropout = nn.Dropout(0.1)
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)

    def split_heads(self, x):
        batch, length, features = x.shape
        return x.view(batch, length, self.num_heads, features // self.num_heads).transpose(1, 2)

    def merge_heads(self, x):
        return x.transpose(1, 2).flatten(2)

    def forward(self, x, mask=None):
        query = self.split_heads(self.W_q(x))
        key = self.split_heads(self.W_k(x))
        value = self.split_heads(self.W_v(x))
        scores = query @ key.transpose(-2, -1) / math.sqrt(key.size(-1))
        if mask is not None:
            if mask.dim() == 3:
                mask = mask.unsqueeze(1)
            scores = scores.masked_fill(mask == 0, float("-inf"))
        weights = torch.softmax(scores, dim=-1)
        return self.W_o(self.merge_heads(self.dropout(weights) @ value)), weights
