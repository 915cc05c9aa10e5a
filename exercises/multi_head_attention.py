# %% [markdown]
# # Multi-head attention
#
# *About 60 minutes. Needs `multi_head_reshape` and `self_attention`, which it combines.*
#
# One head has one row of weights for each query. If it attends to the subject and to the verb, it adds
# both up into one vector. What if the two are needed separately?
#
# A transformer runs several heads in parallel, each on a slice of the features. Each head has its own
# weights, and the outputs are joined:
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
# | weighted sums of the heads | `(B, H, L, d)` |
# | merged | `(B, L, E)` |
# | output, through `W_o` | `(B, L, E)` |
#
# Head $h$ has the features $h \cdot d$ to $(h + 1) \cdot d - 1$ of queries, keys and values. Three
# things to get right:
#
# - Each head is attention of its own, with keys of length $d$. So the scores are divided by
#   $\sqrt{d}$, **not by $\sqrt{E}$**.
# - A reshape of `(B, L, E)` straight to `(B, H, L, d)` mixes the tokens. Reshape to `(B, L, H, d)`
#   first, then exchange two axes.
# - A mask with two axes, `(L, L)`, is the same for all sequences. A mask with three, `(B, L, L)`, is
#   **one mask for each sequence**, the same for all heads; in `self_attention` it was not. It needs an
#   axis for the heads, as `(B, 1, L, L)` has; without it, broadcasting takes its first axis for the
#   heads.
#
# **By hand.** With $E = 4$ and $H = 2$, the query `[1, 2, 3, 4]` is `[1, 2]` for head 0 and `[3, 4]`
# for head 1. With the key `[1, 0, 0, 1]`, the scores are $1 \cdot 1 + 2 \cdot 0 = 1$ in head 0 and
# $3 \cdot 0 + 4 \cdot 1 = 4$ in head 1, both divided by $\sqrt{2}$. A single head would have the one
# score $1 + 4 = 5$, divided by $\sqrt{4}$.
#
# ![Features of five tokens, cut into two slices. Each slice goes to a head with its own matrix of
# weights. Head 0 attends to the previous token, and head 1 to the subject. Their results are
# concatenated, not added, and go through W_o.](figures/multi_head_attention.png)
#
# **The mask: True (or 1) means “may attend”.** `nn.MultiheadAttention` has it the other way round.

# %%
import math

import torch
from torch import nn

# %% [markdown]
# ## Your task
#
# Write the class. What is graded:
#
# - **Four matrices.** The class has four `nn.Linear(d_model, d_model, bias=False)`, named `W_q`,
#   `W_k`, `W_v` and `W_o`, each with a weight of its own. An `nn.Parameter` of the same name is also
#   right. There is no dropout.
# - **Two results.** `forward` returns the output and the weights, in the shapes of the table.
# - **Heads.** Each head is attention on its own features, with weights of its own, for any sizes and
#   any number of heads that fits.
# - **Error.** If `d_model` is not a multiple of `num_heads`, the constructor raises a `ValueError`.
#   Its message is not graded.
# - **Masks.** A mask is `(L, L)`, `(B, L, L)` or `(B, 1, L, L)`, causal or not. It holds True and
#   False, or 1 and 0 as whole numbers or as decimals of the dtype of `x`. It is not added to the
#   scores. Every query may attend to at least one key. Blocked keys get the weight 0 for scaled scores
#   as large as ±1,000.
# - **Gradient.** The gradient of the output reaches `x` and all four matrices, also with a mask and in
#   training.
# - **No side effects.** `x` and the mask stay as they are, and no result depends on earlier calls.
#
# `split_heads` and `merge_heads` are there to help; only the constructor and `forward` are graded.


# %%
class MultiHeadAttention(nn.Module):
    """Self-attention with several heads side by side."""

    def __init__(self, d_model, num_heads):
        super().__init__()
        # YOUR CODE HERE
        raise NotImplementedError()

    def split_heads(self, x):
        """(B, L, E) to (B, H, L, E/H)."""
        # YOUR CODE HERE
        raise NotImplementedError()

    def merge_heads(self, x):
        """(B, H, L, d) to (B, L, H·d)."""
        # YOUR CODE HERE
        raise NotImplementedError()

    def forward(self, x, mask=None):
        """x: (B, L, E).

        mask: None, (L, L), (B, L, L) or (B, 1, L, L); True or 1: may attend.
        Returns (output, weights): (B, L, E) and (B, H, L, L).
        """
        # YOUR CODE HERE
        raise NotImplementedError()


# %% [markdown]
# ## Try it
#
# First the example from above, a query and a key as each head sees them. Then the shapes should be
# `(2, 5, 8)` and `(2, 4, 5, 5)`, the first row of every head `1, 0, 0, 0, 0`, and the last line should show
# your `ValueError` for 8 features and 3 heads.

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

# %% [markdown]
# ## Check your work
#
# Save this file, then run in a terminal:
#
#     autograder check multi_head_attention
#
# The command shows your points. If something is wrong, the command shows the mistake and a hint.
# With `--hint`, it shows the next hint. With `watch` instead of `check`, it checks each save.

# %% [markdown]
# ## Where this comes from
#
# Section 3.2.2 and figure 2 of [Vaswani et al., *Attention Is All You Need*
# (2017)](https://arxiv.org/abs/1706.03762). PyTorch's own, with the first three matrices in one:
# [torch.nn.MultiheadAttention](https://docs.pytorch.org/docs/stable/generated/torch.nn.MultiheadAttention.html).
#
# ## Further reading
#
# - [Voita et al. (2019)](https://arxiv.org/abs/1905.09418): what single heads do, and how many a
#   model can lose.
# - [Michel, Levy and Neubig, *Are Sixteen Heads Really Better than One?*
#   (2019)](https://arxiv.org/abs/1905.10650)
# - [Clark et al., *What Does BERT Look At?* (2019)](https://arxiv.org/abs/1906.04341): pictures
#   of heads.
