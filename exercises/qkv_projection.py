# %% [markdown]
# # Queries, keys and values
#
# *About 15 minutes. Needs the product of two matrices, as in `hand_computation`.*
#
# Attention compares *queries* with *keys* and mixes *values*. Where do they come from? From the same
# words, by three matrices that are learnt:
#
# $$Q = X W_Q \qquad K = X W_K \qquad V = X W_V$$
#
# Each row of $X$ is one word as a vector of $d_{model}$ numbers. $W_Q$ turns it into what the word
# *looks for*, $W_K$ into what it *offers to be found by*, and $W_V$ into what it *hands over*.
#
# | name | shape | |
# |---|---|---|
# | `X` | `(..., L, d_model)` | one row for each position |
# | `W_Q`, `W_K` | `(d_model, d_k)` | the same width, since queries meet keys |
# | `W_V` | `(d_model, d_v)` | its own width |
# | `Q`, `K` | `(..., L, d_k)` | one query and one key for each position |
# | `V` | `(..., L, d_v)` | one value for each position |
#
# `...` stands for any number of batch axes, or none. The same three matrices serve every position
# and every item of the batch.
#
# ![One matrix X with three words as rows, and three matrices W_Q, W_K and W_V. Each product has
# three rows again: a query, a key and a value for each word. The row of the word “cat” is framed
# in X, in Q, in K and in V.](figures/qkv_projection.png)
#
# **By hand.** One word $x = [1, 2]$ and
#
# $$W_Q = \begin{bmatrix} 1 & 0 & 1 \\ 0 & 1 & 1 \end{bmatrix} \qquad
#   q = x W_Q = [1 \cdot 1 + 2 \cdot 0,\ 1 \cdot 0 + 2 \cdot 1,\ 1 \cdot 1 + 2 \cdot 1] = [1, 2, 3]$$
#
# Column $j$ of $W_Q$ makes entry $j$ of the query. The word stands on the **left**: that is what
# makes the shapes fit, `(L, d_model) @ (d_model, d_k)`.

# %%
import numpy as np

# %% [markdown]
# ## Your task
#
# Write the function. Three products are all there is to it; think about which matrix makes which
# result, and about a batch in front.


# %%
def project_qkv(X, W_Q, W_K, W_V):
    """The queries, keys and values of every position.

    X: (..., L, d_model). W_Q, W_K: (d_model, d_k). W_V: (d_model, d_v).
    Returns (Q, K, V): (..., L, d_k), (..., L, d_k) and (..., L, d_v).
    """
    # YOUR CODE HERE
    raise NotImplementedError()


# %% [markdown]
# ## Try it
#
# The query should be `[[1. 2. 3.]]`, the key `[[2. 1. 3.]]`, the value `[[3.]]`.

# %%
if __name__ == "__main__":
    X = np.array([[1.0, 2.0]])
    W_Q = np.array([[1.0, 0.0, 1.0], [0.0, 1.0, 1.0]])
    W_K = np.array([[0.0, 1.0, 1.0], [1.0, 0.0, 1.0]])
    W_V = np.array([[1.0], [1.0]])
    print("shapes of X, W_Q, W_K, W_V:", X.shape, W_Q.shape, W_K.shape, W_V.shape)
    try:
        Q, K, V = project_qkv(X, W_Q, W_K, W_V)
        print("query:", Q, "key:", K, "value:", V)
    except NotImplementedError:
        print("project_qkv is not written yet")

# %% [markdown]
# ## Check your work
#
# Save this file, then run in a terminal:
#
#     autograder check qkv_projection
#
# It shows your points and, if something is not right yet, what it is and a hint; `--hint` shows one
# more. With `watch` in place of `check` it does so whenever you save.

# %% [markdown]
# ## Where this comes from
#
# Section 3.2.2 of [Vaswani et al., *Attention Is All You Need*
# (2017)](https://arxiv.org/abs/1706.03762), where each head has such matrices $W^Q$, $W^K$ and
# $W^V$. In PyTorch each is a `torch.nn.Linear(d_model, d, bias=False)`.
#
# ## Go on reading
#
# - [torch.nn.Linear](https://docs.pytorch.org/docs/stable/generated/torch.nn.Linear.html): it
#   keeps the transposed matrix, and computes $x W^\top$.
# - [numpy.matmul](https://numpy.org/doc/stable/reference/generated/numpy.matmul.html): what `@`
#   does with batch axes.
