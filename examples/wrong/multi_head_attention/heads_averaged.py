# mistake: the heads are averaged
import math

import torch


class MultiHeadAttention(torch.nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.d_model = d_model
        self.num_heads = num_heads
        if d_model % num_heads != 0:
            raise ValueError(str(d_model) + " is not a multiple of " + str(num_heads))
        self.W_q = torch.nn.Linear(d_model, d_model, bias=False)
        self.W_k = torch.nn.Linear(d_model, d_model, bias=False)
        self.W_v = torch.nn.Linear(d_model, d_model, bias=False)
        self.W_o = torch.nn.Linear(d_model, d_model, bias=False)

    def forward(self, x, mask=None):
        queries = self.W_q(x).chunk(self.num_heads, dim=-1)
        keys = self.W_k(x).chunk(self.num_heads, dim=-1)
        values = self.W_v(x).chunk(self.num_heads, dim=-1)
        if mask is not None and mask.dim() == 4:
            mask = mask.squeeze(1)
        outputs, weights = [], []
        for q, k, v in zip(queries, keys, values):
            s = torch.bmm(q, k.transpose(1, 2)) / math.sqrt(self.d_model // self.num_heads)
            if mask is not None:
                s = torch.where(mask == 1, s, torch.full_like(s, -1e9))
            w = torch.softmax(s, dim=2)
            weights.append(w)
            outputs.append(torch.bmm(w, v))
        return self.W_o((sum(outputs) / len(outputs)).repeat(1, 1, self.num_heads)), torch.stack(weights, dim=1)
