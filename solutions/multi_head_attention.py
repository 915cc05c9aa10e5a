# %% [markdown]
# # Multi-head attention
#
# *About 60 minutes. Needs `multi_head_reshape` and `self_attention`: this is the two together.*
#
# One head has one set of weights for each query: it can attend to the subject *or* to the verb. A
# transformer runs several heads side by side, each on a slice of the features, and joins their
# outputs:
#
# $$\text{head}_h = \text{Attention}(Q_h, K_h, V_h) \qquad
#   \text{output} = [\text{head}_0, \dots, \text{head}_{H-1}]\, W_o$$
#
# | step | shape |
# |---|---|
# | `x` | `(B, L, E)` |
# | queries, keys, values: `W_q(x)`, `W_k(x)`, `W_v(x)` | `(B, L, E)` |
# | split into heads | `(B, H, L, d)` with $d = E / H$ |
# | weights | `(B, H, L, L)`: one matrix for each head |
# | mixtures of the heads | `(B, H, L, d)` |
# | merged | `(B, L, E)` |
# | output, through `W_o` | `(B, L, E)` |
#
# Head $h$ has the features $h \cdot d$ to $(h + 1) \cdot d - 1$ of queries, keys and values. Three
# things that go wrong most often:
#
# - Each head is attention of its own, with keys of length $d$. So the scores are divided by
#   $\sqrt{d}$, **not by $\sqrt{E}$**.
# - Cutting `(B, L, E)` straight into `(B, H, L, d)` mixes the words. First `(B, L, H, d)`, then
#   exchange two axes.
# - A mask has no axis for the heads. `(L, L)` broadcasts by itself, `(B, 1, L, L)` too; `(B, L, L)`
#   needs an axis put in between, or its batch meets the heads.
#
# **By hand.** With $E = 4$ and $H = 2$, the query `[1, 2, 3, 4]` is `[1, 2]` for head 0 and `[3, 4]`
# for head 1. With the key `[1, 0, 0, 1]`, the scores are $1 \cdot 1 + 2 \cdot 0 = 1$ in head 0 and
# $3 \cdot 0 + 4 \cdot 1 = 4$ in head 1, both divided by $\sqrt{2}$. A single head would see the one
# score $5$: what the two heads say apart cannot be told from the sum.
#
# ![Features of five words, cut into two slices. Each slice goes to a head with a matrix of
# weights of its own: head 0 looks at the word before, head 1 at the subject. What they gather is
# put side by side again, not added up, and goes through W_o.](figures/multi_head_attention.png)
#
# **The mask: True (or 1) means “may attend”.** `nn.MultiheadAttention` has it the other way round.

# %%
import math

import torch
from torch import nn

# %% [markdown]
# ## Your task
#
# Four `nn.Linear(d_model, d_model, bias=False)`, named `W_q`, `W_k`, `W_v` and `W_o`. If the features
# cannot be shared out evenly, the constructor raises a `ValueError`. A message that names both
# numbers helps whoever reads it; it is not graded.


# %%
class MultiHeadAttention(nn.Module):
    """Self-attention with several heads side by side."""

    def __init__(self, d_model, num_heads):
        super().__init__()
        ### BEGIN SOLUTION
        if d_model % num_heads != 0:
            raise ValueError(f"d_model = {d_model} cannot be shared by {num_heads} heads")
        self.num_heads = num_heads
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)
        ### END SOLUTION

    def split_heads(self, x):
        """(B, L, E) to (B, H, L, E/H)."""
        ### BEGIN SOLUTION
        batch, length, features = x.shape
        return x.view(batch, length, self.num_heads, features // self.num_heads).transpose(1, 2)
        ### END SOLUTION

    def merge_heads(self, x):
        """(B, H, L, d) to (B, L, H·d)."""
        ### BEGIN SOLUTION
        return x.transpose(1, 2).flatten(2)
        ### END SOLUTION

    def forward(self, x, mask=None):
        """x: (B, L, E).

        mask: (L, L), (B, L, L) or (B, 1, L, L); True or 1: may attend.
        Returns (output, weights): (B, L, E) and (B, H, L, L).
        """
        ### BEGIN SOLUTION
        query = self.split_heads(self.W_q(x))
        key = self.split_heads(self.W_k(x))
        value = self.split_heads(self.W_v(x))
        scores = query @ key.transpose(-2, -1) / math.sqrt(key.size(-1))
        if mask is not None:
            if mask.dim() == 3:
                mask = mask.unsqueeze(1)
            scores = scores.masked_fill(mask == 0, float("-inf"))
        weights = torch.softmax(scores, dim=-1)
        return self.W_o(self.merge_heads(weights @ value)), weights
        ### END SOLUTION


# %% [markdown]
# ## Try it
#
# First the example from above, a query and a key as each head sees them. Then the shapes should be
# `(2, 5, 8)` and `(2, 4, 5, 5)`, the first row of every head `1, 0, 0, 0, 0`, and the last line should show
# an error that names 8 and 3.

# %%
if __name__ == "__main__":
    query, key = torch.tensor([1.0, 2.0, 3.0, 4.0]), torch.tensor([1.0, 0.0, 0.0, 1.0])
    for head, (q, k) in enumerate(zip(query.split(2), key.split(2), strict=True)):
        print(f"head {head}: query {q.tolist()}, key {k.tolist()}, score {(q @ k).item():g} / √2")
    torch.manual_seed(0)
    try:
        attention = MultiHeadAttention(d_model=8, num_heads=4)
        output, weights = attention(torch.randn(2, 5, 8), torch.ones(5, 5).tril())
        print(output.shape, weights.shape)
        print(weights[0, :, 0])
        MultiHeadAttention(d_model=8, num_heads=3)
    except ValueError as error:
        print("ValueError:", error)
    except NotImplementedError:
        print("… and the rest is not written yet")

# %% [markdown] after="check"
# ## Where this comes from
#
# Section 3.2.2 and figure 2 of [Vaswani et al., *Attention Is All You Need*
# (2017)](https://arxiv.org/abs/1706.03762). PyTorch's own, with the three first matrices in one:
# [torch.nn.MultiheadAttention](https://docs.pytorch.org/docs/stable/generated/torch.nn.MultiheadAttention.html).
#
# ## Go on reading
#
# - [Voita et al. (2019)](https://arxiv.org/abs/1905.09418): what single heads do, and how many a
#   model can lose.
# - [Michel, Levy and Neubig, *Are Sixteen Heads Really Better than One?*
#   (2019)](https://arxiv.org/abs/1905.10650)
# - [Clark et al., *What Does BERT Look At?* (2019)](https://arxiv.org/abs/1906.04341): pictures
#   of heads.
