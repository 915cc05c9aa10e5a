# %% [markdown]
# # Queries, keys and values
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
    Q, K, V = project_qkv(
        np.array([[1.0, 2.0]]),
        np.array([[1.0, 0.0, 1.0], [0.0, 1.0, 1.0]]),
        np.array([[0.0, 1.0, 1.0], [1.0, 0.0, 1.0]]),
        np.array([[1.0], [1.0]]),
    )
    print(Q, K, V)

# %% [markdown]
# ## Check your work
#
# Save this file, then run in a terminal: `autograder check qkv_projection`. It shows your points and, if
# something is not right yet, what it is and a hint; `--hint` shows one more.
