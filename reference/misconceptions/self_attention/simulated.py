"""Modules with wrong dropout, gradients and parameters, which can be graded."""

import math
from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn.functional import dropout

from reference import modules

Mixed = tuple[Tensor, Tensor]
Mix = Callable[[Tensor, Tensor, float, bool], Mixed]


def _bare(mix: Mix) -> type[nn.Module]:
    class ScaledDotProductAttention(nn.Module):
        def __init__(self, rate: float = 0.1) -> None:
            super().__init__()
            self.rate = rate

        def forward(
            self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
        ) -> Mixed:
            scores = query @ key.transpose(-2, -1) / math.sqrt(key.shape[-1])
            if mask is not None:
                scores = scores.masked_fill(mask == 0, -math.inf)
            return mix(scores, value, self.rate, self.training)

    return ScaledDotProductAttention


def _in_evaluation(s: Tensor, v: Tensor, p: float, _: bool) -> Mixed:
    w = s.softmax(-1)
    return dropout(w, p) @ v, w


def _returned(s: Tensor, v: Tensor, p: float, training: bool) -> Mixed:
    w = dropout(s.softmax(-1), p, training)
    return w @ v, w


def _missing(s: Tensor, v: Tensor, _: float, __: bool) -> Mixed:
    w = s.softmax(-1)
    return w @ v, w


def _on_output(s: Tensor, v: Tensor, p: float, training: bool) -> Mixed:
    w = s.softmax(-1)
    return dropout(w @ v, p, training), w


def _on_scores(s: Tensor, v: Tensor, p: float, training: bool) -> Mixed:
    w = dropout(s, p, training).softmax(-1)
    return w @ v, w


def _not_rescaled(s: Tensor, v: Tensor, p: float, training: bool) -> Mixed:
    w = s.softmax(-1)
    return (w * (torch.rand_like(w) >= p) if training else w) @ v, w


def _inverted(s: Tensor, v: Tensor, p: float, training: bool) -> Mixed:
    w = s.softmax(-1)
    return dropout(w, 1 - p if p else 0.0, training) @ v, w


def _always_a_tenth(s: Tensor, v: Tensor, _: float, training: bool) -> Mixed:
    w = s.softmax(-1)
    return dropout(w, 0.1, training) @ v, w


def _renormalised(s: Tensor, v: Tensor, p: float, training: bool) -> Mixed:
    w = s.softmax(-1)
    dropped = dropout(w, p, training)
    return dropped / dropped.sum(-1, keepdim=True) @ v, w


def _cut(s: Tensor, v: Tensor, p: float, training: bool) -> Mixed:
    w = s.softmax(-1).detach()
    return dropout(w, p, training) @ v, w


class WithBias(modules.SelfAttention):
    def __init__(self, d_model: int, d_k: int | None = None, d_v: int | None = None) -> None:
        super().__init__(d_model, d_k, d_v)
        self.W_o = nn.Linear(d_v or d_model, d_model)


class OtherNames(modules.SelfAttention):
    def __init__(self, d_model: int, d_k: int | None = None, d_v: int | None = None) -> None:
        super().__init__(d_model, d_k, d_v)
        self.query = self.W_q
        del self.W_q

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Mixed:
        output, weights = modules.attention(self.query(x), self.W_k(x), self.W_v(x), mask)
        return self.W_o(output), weights


class OneWidth(modules.SelfAttention):
    """Every matrix has the width d_model instead of d_k or d_v."""

    def __init__(self, d_model: int, *_: int) -> None:
        super().__init__(d_model)


class CutOff(modules.SelfAttention):
    """No gradient reaches the matrices of queries and keys."""

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Mixed:
        with torch.no_grad():
            q, k = self.W_q(x), self.W_k(x)
        output, weights = modules.attention(q, k, self.W_v(x), mask)
        return self.W_o(output), weights


BARE, WHOLE = "ScaledDotProductAttention", "SelfAttention"
SIMULATED: tuple[tuple[str, str, type[nn.Module]], ...] = (
    (BARE, "dropout-in-evaluation", _bare(_in_evaluation)),
    (BARE, "dropped-weights-returned", _bare(_returned)),
    (BARE, "dropout-missing", _bare(_missing)),
    (BARE, "dropout-on-output", _bare(_on_output)),
    (BARE, "dropout-before-softmax", _bare(_on_scores)),
    (BARE, "dropout-not-rescaled", _bare(_not_rescaled)),
    (BARE, "dropout-rate-inverted", _bare(_inverted)),
    (BARE, "dropout-rate-ignored", _bare(_always_a_tenth)),
    (BARE, "dropout-renormalised", _bare(_renormalised)),
    (BARE, "gradient-cut", _bare(_cut)),
    (WHOLE, "projection-bias", WithBias),
    (WHOLE, "parameter-missing", OtherNames),
    (WHOLE, "parameter-shape", OneWidth),
    (WHOLE, "gradient-cut", CutOff),
)
