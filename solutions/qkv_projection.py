# %% [markdown]
# # Queries, keys and values
#
# *About 15 minutes. Needs matrix products, as in `hand_computation`.*
#
# Attention compares *queries* with *keys* and adds up *values*. Where do they come from? From the same
# tokens, by three matrices that are learnt:
#
# $$Q = X W_Q \qquad K = X W_K \qquad V = X W_V$$
#
# Each row of $X$ is one token as a vector of $d_{model}$ numbers. $W_Q$ turns it into what the token
# *looks for*, $W_K$ into what it *can be found by*, and $W_V$ into what it *hands over*.
#
# | name | shape | |
# |---|---|---|
# | `X` | `(..., L, d_model)` | one row for each token |
# | `W_Q`, `W_K` | `(d_model, d_k)` | the same width, since queries meet keys |
# | `W_V` | `(d_model, d_v)` | its own width |
# | `Q`, `K` | `(..., L, d_k)` | one query and one key for each token |
# | `V` | `(..., L, d_v)` | one value for each token |
#
# `...` stands for any number of batch axes, or none. The same three matrices serve every token of
# every sequence.
#
# ![A matrix X with three tokens as rows, and three matrices W_Q, W_K and W_V. The three
# products are the queries Q, the keys K and the values V. Each has three rows, one for each token.
# A frame marks the row of the token “cat” in X, Q, K and V.](figures/qkv_projection.png)
#
# **By hand.** One token $x = [1, 2]$ and
#
# $$W_Q = \begin{bmatrix} 1 & 0 & 1 \\ 0 & 1 & 1 \end{bmatrix} \qquad
#   q = x W_Q = [1 \cdot 1 + 2 \cdot 0,\ 1 \cdot 0 + 2 \cdot 1,\ 1 \cdot 1 + 2 \cdot 1] = [1, 2, 3]$$
#
# Column $j$ of $W_Q$ makes entry $j$ of the query. The token stands on the **left**, so that the
# shapes fit: `(L, d_model) @ (d_model, d_k)`.

# %%
import numpy as np

# %% [markdown]
# ## Your task
#
# Write the function: three products. What is graded:
#
# - **Three results.** The function returns three results, in the order Q, K, V, in the shapes of the
#   table.
# - **Values.** The results are the three products.
# - **Sizes.** `L`, `d_model`, `d_k` and `d_v` may all differ, and there may be no batch axis, one or
#   several.
# - **No side effects.** The function changes neither its arguments nor earlier results, and its
#   results do not depend on earlier calls.


# %%
def project_qkv(X, W_Q, W_K, W_V):
    """The queries, keys and values of every token.

    X: (..., L, d_model). W_Q, W_K: (d_model, d_k). W_V: (d_model, d_v).
    Returns (Q, K, V): (..., L, d_k), (..., L, d_k) and (..., L, d_v).
    """
    ### BEGIN SOLUTION
    return X @ W_Q, X @ W_K, X @ W_V
    ### END SOLUTION


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

# %% [markdown] after="check"
# ## Where this comes from
#
# Section 3.2.2 of [Vaswani et al., *Attention Is All You Need*
# (2017)](https://arxiv.org/abs/1706.03762), where each head has such matrices $W^Q$, $W^K$ and
# $W^V$. In PyTorch each is a `torch.nn.Linear(d_model, d, bias=False)`.
#
# ## Further reading
#
# - [torch.nn.Linear](https://docs.pytorch.org/docs/stable/generated/torch.nn.Linear.html): it
#   keeps the transposed matrix, and computes $x W^\top$.
# - [numpy.matmul](https://numpy.org/doc/stable/reference/generated/numpy.matmul.html): what `@`
#   does with batch axes.
