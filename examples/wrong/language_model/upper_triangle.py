# mistake: the mask is the upper triangle
import torch
import torch.nn.functional as F
from torch import nn
from torch.nn import Embedding, LayerNorm, Linear, Module, ReLU, Sequential


class MHA(Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.W_q = Linear(dim, dim, bias=False)
        self.W_k = Linear(dim, dim, bias=False)
        self.W_v = Linear(dim, dim, bias=False)
        self.W_o = Linear(dim, dim, bias=False)
        self.heads = heads

    def forward(self, x, mask=None):
        joined = torch.cat([self.W_q.weight, self.W_k.weight, self.W_v.weight], 0)
        y = x.transpose(0, 1)
        blocked = None if mask is None else mask == 0
        out, weights = F.multi_head_attention_forward(
            y, y, y, x.shape[-1], self.heads, joined, None, None, None, False, 0.0,
            self.W_o.weight, None, attn_mask=blocked, training=False,
        )
        return out.transpose(0, 1), weights


class TransformerBlock(Module):
    def __init__(self, d_model, num_heads, d_ff):
        super().__init__()
        self.attention = MHA(d_model, num_heads)
        self.norm1 = LayerNorm(d_model)
        self.feed_forward = Sequential(Linear(d_model, d_ff), ReLU(), Linear(d_ff, d_model))
        self.norm2 = LayerNorm(d_model)

    def forward(self, x, mask=None):
        x = self.norm1(torch.add(x, self.attention(x, mask)[0]))
        return self.norm2(torch.add(x, self.feed_forward(x)))


class SimpleLanguageModel(nn.Module):
    def __init__(self, vocab_size, d_model, num_heads, d_ff, max_seq_length):
        super().__init__()
        self.token_embedding = Embedding(vocab_size, d_model)
        self.position_embedding = Embedding(max_seq_length, d_model)
        self.block = TransformerBlock(d_model, num_heads, d_ff)
        self.output_projection = Linear(d_model, vocab_size)

    @property
    def max_seq_length(self):
        return self.position_embedding.num_embeddings

    def forward(self, tokens):
        B, L = tokens.shape
        if not L <= self.max_seq_length:
            raise ValueError("length %d, limit %d" % (L, self.max_seq_length))
        x = F.embedding(tokens, self.token_embedding.weight)
        x = x + F.embedding(torch.arange(L), self.position_embedding.weight)[None]
        mask = torch.triu(torch.ones(L, L, dtype=torch.bool))
        return F.linear(self.block(x, mask), self.output_projection.weight, self.output_projection.bias)
