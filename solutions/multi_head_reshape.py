# %% [markdown]
# # Splitting and merging heads
#
# *About 30 minutes. Needs NumPy's `reshape` and `transpose`, but no earlier exercise.*
#
# Multi-head attention runs several small attentions side by side. The features of each token are
# cut into $H$ equal blocks, one for each **head**: with $E$ features, head $h$ gets the features
# $h \cdot E/H$ to $(h+1) \cdot E/H - 1$.
#
# | | shape | read as |
# |---|---|---|
# | before | `(B, L, E)` | batch, position, feature |
# | after `split_heads` | `(B, H, L, E // H)` | batch, head, position, feature of that head |
#
# The axis of the heads comes *before* that of the positions, so that `@` later treats each head as a
# batch of its own.
#
# **By hand.** Two tokens with four features and two heads:
#
# $$\begin{bmatrix} 1 & 2 & 3 & 4 \\ 5 & 6 & 7 & 8 \end{bmatrix} \longrightarrow
# \text{head 0: } \begin{bmatrix} 1 & 2 \\ 5 & 6 \end{bmatrix} \quad
# \text{head 1: } \begin{bmatrix} 3 & 4 \\ 7 & 8 \end{bmatrix}$$
#
# **Is one reshape enough?** No. `reshape` reads the numbers of its input in order, the last axis first,
# and puts them into the new shape in the same order. Going straight to `(B, H, L, E // H)` would give
# head 0 the rows $[1, 2]$ and $[3, 4]$: both halves of the *first* token. The shape would be right and
# the content wrong.
#
# So cut the last axis first, then exchange two axes with `transpose`.
#
# ![Three tokens with four features each, coloured by head. After the split, head 0 has features 0 and
# 1 of every token, and head 1 has features 2 and 3. A reshape alone gives the same shape, but its rows
# are halves of tokens, with mixed colours.](figures/multi_head_reshape.png)

# %%
import numpy as np

# %% [markdown]
# ## Your task
#
# Write both functions. What is graded:
#
# - **Split.** `split_heads` gives each head its own block of features, of every token, in the shape
#   `(B, H, L, E // H)`.
# - **Merge.** `merge_heads` undoes a right split: it gives each token its features back, in the
#   original order and the shape `(B, L, H * d)`.
# - **Error.** If `E` is not a multiple of `H`, `split_heads` raises a `ValueError`. Its message
#   contains both numbers.
# - **Sizes.** `B`, `L`, `E` and `H` may have any size from 1.
# - **No side effects.** Neither function changes its argument or earlier results. No result depends
#   on earlier calls.


# %%
def split_heads(x, num_heads):
    """(B, L, E) to (B, num_heads, L, E // num_heads).

    Raises ValueError if E is not a multiple of num_heads. Its message contains
    both numbers, E and num_heads.
    """
    ### BEGIN SOLUTION
    batch, length, features = x.shape
    if features % num_heads != 0:
        raise ValueError(f"{features} features cannot be split into {num_heads} heads")
    return x.reshape(batch, length, num_heads, features // num_heads).transpose(0, 2, 1, 3)
    ### END SOLUTION


# %%
def merge_heads(x):
    """(B, H, L, d) to (B, L, H * d): the inverse of a right split."""
    ### BEGIN SOLUTION
    batch, heads, length, size = x.shape
    return x.transpose(0, 2, 1, 3).reshape(batch, length, heads * size)
    ### END SOLUTION


# %% [markdown]
# ## Try it
#
# After the two rows come the two heads of the example above, and then the original rows again.

# %%
if __name__ == "__main__":
    tokens = np.arange(1, 9).reshape(1, 2, 4)
    print("two tokens with four features:\n", tokens)
    try:
        print("two heads:\n", split_heads(tokens, 2))
        print("merged again:\n", merge_heads(split_heads(tokens, 2)))
    except NotImplementedError:
        print("… and the rest is not written yet")

# %% [markdown] after="check"
# ## Where this comes from
#
# Section 3.2.2 of [Vaswani et al., *Attention Is All You Need*
# (2017)](https://arxiv.org/abs/1706.03762): there each head has small matrices of its own. To cut the
# result of one large matrix gives the same, and is what libraries do, such as
# [torch.nn.MultiheadAttention](https://docs.pytorch.org/docs/stable/generated/torch.nn.MultiheadAttention.html).
#
# ## Further reading
#
# - [numpy.reshape](https://numpy.org/doc/stable/reference/generated/numpy.reshape.html): the
#   order in which numbers are read.
# - [einops](https://einops.rocks/): a notation in which such steps can be read aloud.
