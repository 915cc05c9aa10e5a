# %% [markdown]
# # Self-attention as a module
#
# *About 60 minutes. Needs `scaled_dot_product_attention` and `qkv_projection`, and the first steps in
# PyTorch: tensors, `nn.Module`, `nn.Linear`.*
#
# Until now attention was a function of arrays. To be *learnt*, it becomes a PyTorch module: an
# object that keeps its parameters, and whose operations PyTorch can differentiate.
#
# $$\text{Attention}(Q, K, V) = \text{softmax}\left(\frac{Q K^T}{\sqrt{d_k}}\right) V
#   \qquad Q = X W_q,\ K = X W_k,\ V = X W_v$$
#
# | name | shape | |
# |---|---|---|
# | `query`, `key` | `(..., L_q, d_k)`, `(..., L_k, d_k)` | `...`: any number of batch axes, or none |
# | `value` | `(..., L_k, d_v)` | |
# | `mask` | broadcasts to `(..., L_q, L_k)` | **True (or 1) means “may attend”** |
# | `output`, `weights` | `(..., L_q, d_v)`, `(..., L_q, L_k)` | each row of the weights sums to 1 |
#
# PyTorch itself has both conventions for masks: `F.scaled_dot_product_attention` has ours, and
# `nn.MultiheadAttention` has the opposite one, where True blocks.
#
# **Dropout.** While a model is trained, some attention weights are set to 0 at random, each with
# probability $p$, so that no query relies on a single key. The others are divided by $1 - p$, which
# keeps their sum the same *on average*. `nn.Dropout` does both, and in evaluation (`model.eval()`)
# it does nothing. An example with $p = 0.5$:
#
# | | | | | | sum |
# |---|---|---|---|---|---|
# | weights | 0.1 | 0.2 | 0.3 | 0.4 | 1.0 |
# | after dropout | 0 | 0.4 | 0.6 | 0 | 1.0 |
# | after dropout, another time | 0.2 | 0 | 0 | 0.8 | 1.0 |
# | and another | 0 | 0 | 0.6 | 0 | 0.6 |
#
# Which weights should the module return? After dropout, a row usually no longer sums to 1. So the module
# **multiplies the values by the weights after dropout, and returns the weights before it**.
#
# ![The data flow in the module. x goes through W_q, W_k and W_v. Queries and keys give scores. The
# scores are scaled and masked, and a softmax gives the weights. The module returns these weights. In
# part 1, during training, dropout changes the weights before they multiply the values. W_o gives the
# output. Below: with p = 0.5, dropout changes the weights 0.1, 0.2, 0.3, 0.4 to 0, 0.4, 0.6, 0, for
# example.](figures/self_attention.png)

# %%
import math

import torch
from torch import nn

# %% [markdown]
# ## Your task, part 1
#
# A module without parameters. Write the three steps (scores, mask and softmax, weighted sum) with
# torch operations. What is graded:
#
# - **Values.** The module returns the output and the weights before dropout, as in the formula.
# - **Evaluation.** In evaluation, and with `dropout=0`, dropout does nothing: the same inputs give
#   the same results.
# - **Batch axes and sizes.** Query, key and value have the same batch axes: none, one or several.
#   `L_q`, `L_k`, `d_k` and `d_v` may all differ.
# - **Masks.** A mask holds True and False, or 1 and 0 as whole numbers or as decimals of the inputs'
#   dtype. It has two axes or more, but not more than the scores. It broadcasts as in NumPy, such as
#   `(H, L_q, L_k)` to `(B, H, L_q, L_k)`. Every query may attend to at least one key.
# - **Dropout.** In training, dropout acts on each weight by itself, with a mask or without one, sampled
#   again in each call. Without an argument, its probability is 0.1.
# - **Gradient to the inputs.** The gradient of the output reaches query, key and value, also with a
#   mask and in training, and is never NaN.
# - **Large scores.** Scaled scores as large as ±1,000, with a mask or without one, give right results
#   and no NaN.
# - **No side effects.** The inputs of both modules stay as they are, and no result depends on earlier
#   calls: not on their sizes or masks.


# %%
class ScaledDotProductAttention(nn.Module):
    """softmax(Q Kᵀ / √d_k) V, with dropout on the weights while training."""

    def __init__(self, dropout=0.1):
        super().__init__()
        ### BEGIN SOLUTION
        self.dropout = nn.Dropout(dropout)
        ### END SOLUTION

    def forward(self, query, key, value, mask=None):
        """query (..., L_q, d_k), key (..., L_k, d_k), value (..., L_k, d_v).

        mask: None, or True (1) where a query may attend; broadcasts to
        (..., L_q, L_k).
        Returns (output, weights): (..., L_q, d_v) and (..., L_q, L_k). These are
        the weights before dropout.
        """
        ### BEGIN SOLUTION
        scores = query @ key.transpose(-2, -1) / math.sqrt(key.size(-1))
        if mask is not None:
            scores = scores.masked_fill(mask == 0, float("-inf"))
        weights = torch.softmax(scores, dim=-1)
        return self.dropout(weights) @ value, weights
        ### END SOLUTION


# %% [markdown]
# ## Your task, part 2
#
# In *self*-attention, queries, keys and values come from the same `x`, by learnt matrices. A last
# matrix, $W_o$, brings the weighted sum back to the width of the model.
#
# What is graded:
#
# - **Four matrices.** Use four `nn.Linear` without a bias, under the names `W_q`, `W_k`, `W_v` and
#   `W_o`, each with a weight of its own. An `nn.Parameter` of the same name is also right.
# - **Output.** The module returns the weighted sum through `W_o`, and the weights.
# - **Widths.** `d_k` and `d_v` may differ from `d_model` and from each other. Each is `d_model` if it
#   is None.
# - **As in part 1.** Batch axes and masks are as in part 1: a mask broadcasts to `(..., L, L)` and need
#   not be causal. The module adds no mask of its own.
# - **No dropout.** There is no dropout in this module: the output in training is that in evaluation.
# - **Gradient to the matrices.** The gradient of the output reaches `x` and all four matrices, also
#   in training.
#
# `nn.Linear(n, m)` keeps its weight as `(m, n)` and computes $x W^T$: from `n` features to `m`.


# %%
class SelfAttention(nn.Module):
    """One head of self-attention, with its four projections."""

    def __init__(self, d_model, d_k=None, d_v=None):
        """d_k: width of queries and keys. d_v: width of values.

        Each is d_model if it is None.
        """
        super().__init__()
        ### BEGIN SOLUTION
        d_k = d_model if d_k is None else d_k
        d_v = d_model if d_v is None else d_v
        self.W_q = nn.Linear(d_model, d_k, bias=False)
        self.W_k = nn.Linear(d_model, d_k, bias=False)
        self.W_v = nn.Linear(d_model, d_v, bias=False)
        self.W_o = nn.Linear(d_v, d_model, bias=False)
        self.attention = ScaledDotProductAttention(dropout=0.0)
        ### END SOLUTION

    def forward(self, x, mask=None):
        """x: (..., L, d_model). mask: as in part 1, for (..., L, L).

        Returns (output, weights): (..., L, d_model) and (..., L, L).
        """
        ### BEGIN SOLUTION
        output, weights = self.attention(self.W_q(x), self.W_k(x), self.W_v(x), mask)
        return self.W_o(output), weights
        ### END SOLUTION


# %% [markdown]
# ## Try it
#
# First, PyTorch's own dropout on one row of weights, three times. Then yours: the shapes should be
# `(2, 5, 8)` and `(2, 5, 5)`, and the weights of the first token `1, 0, 0, 0, 0`: with a causal mask it
# sees only itself. The last line, `True`, shows that a gradient reaches every matrix.

# %%
if __name__ == "__main__":
    torch.manual_seed(0)
    for _ in range(3):
        print("after dropout:", nn.Dropout(0.5)(torch.tensor([0.1, 0.2, 0.3, 0.4])))
    try:
        attention = SelfAttention(d_model=8)
        x = torch.randn(2, 5, 8)
        output, weights = attention(x, torch.ones(5, 5).tril())
        print(output.shape, weights.shape)
        print(weights[0, 0])
        output.sum().backward()
        print(all(matrix.grad is not None for matrix in attention.parameters()))
    except NotImplementedError:
        print("… and the rest is not written yet")

# %% [markdown] after="check"
# ## Where this comes from
#
# Section 3.2 of [Vaswani et al., *Attention Is All You Need*
# (2017)](https://arxiv.org/abs/1706.03762). Its section 5.4 has dropout elsewhere: on what each part of
# a block adds, and on the embeddings. Dropout on the attention weights is the argument `dropout` of
# PyTorch's own module,
# [torch.nn.MultiheadAttention](https://docs.pytorch.org/docs/stable/generated/torch.nn.MultiheadAttention.html),
# which does the whole with `num_heads=1` and `bias=False`.
#
# ## Further reading
#
# - [Srivastava et al., *Dropout* (2014)](https://jmlr.org/papers/v15/srivastava14a.html).
# - [torch.nn.Dropout](https://docs.pytorch.org/docs/stable/generated/torch.nn.Dropout.html): what
#   it does in training and in evaluation.
# - [torch.nn.Module](https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html):
#   parameters, submodules, `train()` and `eval()`.
