# %% [markdown]
# # Attention by hand
#
# Before you write attention in code, work it out on paper. All of it is one formula:
#
# $$\operatorname{Attention}(Q, K, V) = \operatorname{softmax}\!\left(\frac{Q K^\top}{\sqrt{d_k}}\right) V$$
#
# Take it in four steps. Row $i$ belongs to query $i$, column $j$ to key $j$.
#
# | step | what you compute | how |
# |---|---|---|
# | scores | $Q K^\top$ | entry $[i][j]$: the dot product of row $i$ of $Q$ and row $j$ of $K$ |
# | scaled | scores $/ \sqrt{d_k}$ | $d_k$ is the number of columns of $K$ |
# | weights | softmax of each row | $e^{x}$ of each entry, divided by the sum of its row |
# | output | weights times $V$ | row $i$: the rows of $V$, each times its weight, added up |
#
# **An example.** With $q = [1, 2]$ and the keys $[1, 0]$ and $[0, 2]$ the scores are
# $1 \cdot 1 + 2 \cdot 0 = 1$ and $1 \cdot 0 + 2 \cdot 2 = 4$. Divided by $\sqrt 2 = 1.414$ they are
# $0.707$ and $2.828$. The exponentials are $2.028$ and $16.919$, so the weights are $0.107$ and
# $0.893$.
#
# ## Your task
#
# Replace each `None` by your numbers: lists of rows, as the matrices are printed here. Three
# decimals are enough, and expressions such as `1 / 3` are fine. Each step is marked on its own:
# if one goes wrong, the next still counts when it follows from *your* numbers.

# %% [markdown]
# ## Part A: two tokens
#
# $$Q = \begin{bmatrix} 1 & 0 \\ 0 & 1 \end{bmatrix} \quad
#   K = \begin{bmatrix} 1 & 1 \\ 1 & 0 \end{bmatrix} \quad
#   V = \begin{bmatrix} 2 & 1 \\ 1 & 2 \end{bmatrix} \quad d_k = 2$$

# %%
a_scores = None  # two rows of two numbers
a_scaled = None
a_weights = None
a_output = None

# %% [markdown]
# ## Part B: three tokens, four dimensions
#
# $$Q = \begin{bmatrix} 1&0&1&0 \\ 0&1&0&1 \\ 1&1&0&0 \end{bmatrix} \quad
#   K = \begin{bmatrix} 1&0&0&1 \\ 0&1&1&0 \\ 1&0&1&1 \end{bmatrix} \quad
#   V = \begin{bmatrix} 2&0&1&0 \\ 0&2&0&1 \\ 1&1&2&2 \end{bmatrix}$$

# %%
b_scores = None  # three rows of three numbers
b_scaled = None
b_weights = None
b_output = None  # three rows of four numbers

# %% [markdown]
# ## Part C: "cat sat mat"
#
# In self-attention the queries, keys and values all come from the same words. Here they are the
# words themselves: $Q = K = V = X$, with $d_k = 4$.
#
# $$X = \begin{bmatrix} 1.0 & 0.5 & 0.2 & 0.8 \\ 0.3 & 0.9 & 0.1 & 0.4 \\ 0.6 & 0.2 & 0.7 & 0.3
# \end{bmatrix} \quad \begin{matrix} \text{cat} \\ \text{sat} \\ \text{mat} \end{matrix}$$
#
# (If you compare with a textbook: at least one prints wrong numbers for this very example. Trust
# your arithmetic.)

# %%
c_scores = None  # not scaled yet
c_scaled = None
c_weights = None
c_output = None

# %% [markdown]
# ## Part C, the causal row
#
# A language model may not look at words that come later. Suppose one query's scaled scores are
# $[0.5,\ 0.8,\ 0.3,\ 0.9]$ and the last position is still in the future. It is *blocked*: it gets
# weight 0, and the softmax runs over the other three.

# %%
c_masked_row = None  # four numbers

# %% [markdown]
# ## Check your work
#
# Save this file, then run in a terminal: `autograder check hand_computation`. It shows your points and, if
# something is not right yet, what it is and a hint; `--hint` shows one more.
