"""Modules with wrong parameters, gradients and limits, which can be graded."""

import torch
from torch import Tensor, nn

from reference import modules

BLOCK, MODEL = "TransformerBlock", "SimpleLanguageModel"


class ProjectionsWithBias(modules.TransformerBlock):
    """The attention's projections have biases."""

    def __init__(self, d_model: int, num_heads: int, d_ff: int) -> None:
        super().__init__(d_model, num_heads, d_ff)
        for name in ("W_q", "W_k", "W_v", "W_o"):
            setattr(self.attention, name, nn.Linear(d_model, d_model))


class OtherNorm(modules.TransformerBlock):
    """One of the norms has another name."""

    def __init__(self, d_model: int, num_heads: int, d_ff: int) -> None:
        super().__init__(d_model, num_heads, d_ff)
        self.norm = self.norm1
        del self.norm1

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        x = self.norm(x + self.attention(x, mask)[0])
        normed: Tensor = self.norm2(x + self.feed_forward(x))
        return normed


class TwoResults(modules.TransformerBlock):
    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        return super().forward(x, mask), self.attention(x, mask)[1]


class NoLimit(modules.SimpleLanguageModel):
    """The model accepts any number of tokens. Extra tokens get the last position."""

    def forward(self, tokens: Tensor) -> Tensor:
        if tokens.shape[1] <= self.max_seq_length:
            return super().forward(tokens)
        return super().forward(tokens[:, : self.max_seq_length])


class CutOff(modules.SimpleLanguageModel):
    """No gradient reaches the embeddings."""

    def forward(self, tokens: Tensor) -> Tensor:
        length = tokens.shape[1]
        if length > self.max_seq_length:
            raise ValueError(f"{length} tokens, but at most {self.max_seq_length} have a position")
        x = self.token_embedding(tokens) + self.position_embedding(torch.arange(length))
        mask = torch.ones(length, length).tril()
        logits: Tensor = self.output_projection(self.block(x.detach(), mask))
        return logits


class NoAttribute(modules.SimpleLanguageModel):
    def __init__(self, *sizes: int) -> None:
        super().__init__(*sizes)
        self.max_seq_length -= 1


SIMULATED: tuple[tuple[str, str, type[nn.Module]], ...] = (
    (BLOCK, "projection-bias", ProjectionsWithBias),
    (BLOCK, "parameter-missing", OtherNorm),
    (BLOCK, "number-of-results", TwoResults),
    (MODEL, "not-refused", NoLimit),
    (MODEL, "gradient-cut", CutOff),
    (MODEL, "max-seq-length", NoAttribute),
)
