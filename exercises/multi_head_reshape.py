# %% [markdown]
# # Splitting and merging heads
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
# The heads stand *in front of* the positions, so that `@` later treats each head as a batch of its
# own.
#
# **By hand.** Two tokens with four features and two heads:
#
# $$\begin{bmatrix} 1 & 2 & 3 & 4 \\ 5 & 6 & 7 & 8 \end{bmatrix} \longrightarrow
# \text{head 0: } \begin{bmatrix} 1 & 2 \\ 5 & 6 \end{bmatrix} \quad
# \text{head 1: } \begin{bmatrix} 3 & 4 \\ 7 & 8 \end{bmatrix}$$
#
# **A reshape alone is not enough.** `reshape` never moves a number: it reads them in the order of
# memory and cuts anew. Going straight to `(B, H, L, E // H)` would give head 0 the rows
# $[1, 2]$ and $[3, 4]$: both halves of the *first* token. The shape is right and the content
# wrong. Cut the last axis first, then move the axes with `transpose`.

# %%
import numpy as np

# %% [markdown]
# ## Your task
#
# Write both functions. `merge_heads` is the exact inverse of `split_heads`.


# %%
def split_heads(x, num_heads):
    """(B, L, E) to (B, num_heads, L, E // num_heads).

    Raises ValueError, naming both numbers, if E is not a multiple of num_heads.
    """
    # YOUR CODE HERE
    raise NotImplementedError()


# %%
def merge_heads(x):
    """(B, H, L, d) to (B, L, H * d): the inverse of split_heads."""
    # YOUR CODE HERE
    raise NotImplementedError()


# %% [markdown]
# ## Try it
#
# The first print should show the two heads of the example above, the second the original rows.

# %%
if __name__ == "__main__":
    tokens = np.arange(1, 9).reshape(1, 2, 4)
    print(split_heads(tokens, 2))
    print(merge_heads(split_heads(tokens, 2)))

# %% [markdown]
# ## Check your work
#
# Save this file, then run in a terminal: `autograder check multi_head_reshape`. It shows your points and, if
# something is not right yet, what it is and a hint; `--hint` shows one more.
