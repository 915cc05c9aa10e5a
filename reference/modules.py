"""Attention as torch modules, up to a small language model.

`reference/__init__.py` does not import this module, because it needs torch.

Sources: Vaswani et al. (2017), section 3.2 for attention and heads, 3.3 for the feed-forward
network, 3.1 for residual connections and layer normalisation after each sum ("post-norm"). Masks
are true (or 1) where a query may attend.
"""

import math

import torch
from torch import Tensor, nn


def attention(Q: Tensor, K: Tensor, V: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """Return output `(..., L_q, d_v)` and weights `(..., L_q, L_k)`: softmax(Q Kᵀ / √d_k) V."""
    scores = Q @ K.transpose(-2, -1) / math.sqrt(K.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(mask == 0, -math.inf)
    weights = scores.softmax(dim=-1)
    return weights @ V, weights


class ScaledDotProductAttention(nn.Module):
    """`attention` as a module without dropout."""

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        return attention(query, key, value, mask)


def without_dropout(*_: float) -> ScaledDotProductAttention:
    """Return the module without dropout. The student's module may have dropout."""
    return ScaledDotProductAttention()


class SelfAttention(nn.Module):
    """Single-head self-attention of `x (..., L, d_model)`, with weights `(..., L, L)`."""

    def __init__(self, d_model: int, d_k: int | None = None, d_v: int | None = None) -> None:
        super().__init__()
        self.W_q = nn.Linear(d_model, d_k or d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_k or d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_v or d_model, bias=False)
        self.W_o = nn.Linear(d_v or d_model, d_model, bias=False)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        output, weights = attention(self.W_q(x), self.W_k(x), self.W_v(x), mask)
        return self.W_o(output), weights


class MultiHeadAttention(nn.Module):
    """Multi-head attention of `x (B, L, E)`, with weights `(B, H, L, L)`.

    The mask is `(L, L)`, `(B, L, L)` or `(B, 1, L, L)`.
    """

    def __init__(self, d_model: int, num_heads: int) -> None:
        super().__init__()
        if d_model % num_heads:
            raise ValueError(f"{d_model} features cannot be split into {num_heads} equal heads")
        self.num_heads = num_heads
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)

    def split(self, x: Tensor) -> Tensor:
        """Return `(B, L, E)` as `(B, H, L, E/H)`."""
        batch, length, _ = x.shape
        return x.view(batch, length, self.num_heads, -1).transpose(1, 2)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        if mask is not None and mask.dim() == 3:
            mask = mask.unsqueeze(1)
        Q, K, V = (self.split(project(x)) for project in (self.W_q, self.W_k, self.W_v))
        output, weights = attention(Q, K, V, mask)
        merged = output.transpose(1, 2).reshape(x.shape)
        return self.W_o(merged), weights


class TransformerBlock(nn.Module):
    """Transformer block of `x (B, L, E)`: attention, feed-forward network, "add & norm"."""

    def __init__(self, d_model: int, num_heads: int, d_ff: int) -> None:
        super().__init__()
        self.attention = MultiHeadAttention(d_model, num_heads)
        self.norm1 = nn.LayerNorm(d_model)
        self.feed_forward = nn.Sequential(
            nn.Linear(d_model, d_ff), nn.ReLU(), nn.Linear(d_ff, d_model)
        )
        self.norm2 = nn.LayerNorm(d_model)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        x = self.norm1(x + self.attention(x, mask)[0])
        normed: Tensor = self.norm2(x + self.feed_forward(x))
        return normed


class SimpleLanguageModel(nn.Module):
    """Language model: tokens `(B, L)` to logits `(B, L, vocab_size)`. No token sees later ones.

    Attention looks at most `reach` positions back. None means all positions.
    """

    def __init__(
        self,
        vocab_size: int,
        d_model: int,
        num_heads: int,
        d_ff: int,
        max_seq_length: int,
        reach: int | None = None,
    ) -> None:
        super().__init__()
        self.max_seq_length = max_seq_length
        self.reach = reach
        self.token_embedding = nn.Embedding(vocab_size, d_model)
        self.position_embedding = nn.Embedding(max_seq_length, d_model)
        self.block = TransformerBlock(d_model, num_heads, d_ff)
        self.output_projection = nn.Linear(d_model, vocab_size)

    def forward(self, tokens: Tensor) -> Tensor:
        length = tokens.shape[1]
        if length > self.max_seq_length:
            raise ValueError(f"{length} tokens, but at most {self.max_seq_length} have a position")
        x = self.token_embedding(tokens) + self.position_embedding(torch.arange(length))
        mask = torch.ones(length, length).tril()
        if self.reach is not None:
            mask = mask.triu(-self.reach)
        logits: Tensor = self.output_projection(self.block(x, mask))
        return logits
