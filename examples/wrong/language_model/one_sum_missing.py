# mistake: the second sum is missing
import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x, mask=None):
        b, l, e = x.shape
        shape = (b, l, self.num_heads, e // self.num_heads)
        q, k, v = self.W_q(x).view(shape), self.W_k(x).view(shape), self.W_v(x).view(shape)
        scores = torch.einsum("bihd,bjhd->bhij", q, k) * shape[-1] ** -0.5
        if mask is not None:
            scores = scores + torch.log(mask.to(scores.dtype))
        weights = scores.softmax(-1)
        return self.W_o(torch.einsum("bhij,bjhd->bihd", weights, v).reshape(b, l, e)), weights


class TransformerBlock(nn.Module):
    def __init__(self, d_model, num_heads, d_ff):
        super().__init__()
        self.attention = MultiHeadAttention(d_model, num_heads)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.feed_forward = nn.Sequential(
            nn.Linear(d_model, d_ff), nn.ReLU(inplace=True), nn.Linear(d_ff, d_model)
        )

    def forward(self, x, mask=None):
        x = self.norm1(x + self.attention(x, mask)[0])
        x = self.norm2(self.feed_forward(x))
        return x


class SimpleLanguageModel(nn.Module):
    """Runs the model once for each position, on the words up to it: no mask is needed then."""

    def __init__(self, vocab_size, d_model, num_heads, d_ff, max_seq_length):
        super().__init__()
        self.max_seq_length = max_seq_length
        self.token_embedding = nn.Embedding(vocab_size, d_model)
        self.position_embedding = nn.Embedding(max_seq_length, d_model)
        self.block = TransformerBlock(d_model, num_heads, d_ff)
        self.output_projection = nn.Linear(d_model, vocab_size)

    def forward(self, tokens):
        if tokens.size(1) > self.max_seq_length:
            raise ValueError(f"{tokens.size(1)} is more than {self.max_seq_length}")
        x = self.token_embedding(tokens)
        x = x + self.position_embedding(torch.arange(tokens.size(1)))
        rows = [self.block(x[:, : t + 1])[:, -1] for t in range(tokens.size(1))]
        return self.output_projection(torch.stack(rows, dim=1))
