# %% [markdown]
# # Attention by hand
#
# *About 60 minutes. Needs a pencil, and a calculator for $e^x$.*
#
# Before you write attention in code, work it out on paper. A text is cut into *tokens*; here each
# word is one token, and each token is a row of numbers. All of attention is one formula:
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
# **An example.** To which key does $q = [1, 2]$ give more weight, to $[1, 0]$ or to $[0, 2]$? The scores are
# $1 \cdot 1 + 2 \cdot 0 = 1$ and $1 \cdot 0 + 2 \cdot 2 = 4$. Divided by $\sqrt 2 = 1.414$ they are
# $0.707$ and $2.828$. The exponentials are $2.028$ and $16.919$, so the weights are $0.107$ and
# $0.893$: much more to the second key.
#
# ![One query, the row 1, 2. With two keys it gives the scores 1 and 4. Divided by √2 they are 0.71 and
# 2.83. The softmax gives the weights 0.11 and 0.89. The output is the sum of two values times these
# weights.](figures/hand_computation.png)
#
# ## Your task
#
# Replace each `None` by your numbers: lists of rows, as the matrices are printed here. Expressions
# such as `1 / 3` are fine. What is graded:
#
# - **Steps.** Each value is that step of the formula, from the numbers of its part.
# - **Three decimals.** Each entry may be off by 0.002.
# - **Follow-through.** Each step is graded on its own: after a wrong step, the next one counts if it is
#   right, or if it follows from *your* numbers. One exception: from a wrong row of equal numbers, or of
#   a single 1 and zeros, only the correct numbers count.

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
#   V = \begin{bmatrix} 2&0&1&0 \\ 0&2&0&1 \\ 1&1&2&2 \end{bmatrix} \quad d_k = 4$$

# %%
b_scores = None  # three rows of three numbers
b_scaled = None
b_weights = None
b_output = None  # three rows of four numbers

# %% [markdown]
# ## Part C: "cat sat mat"
#
# In self-attention the queries, keys and values all come from the same tokens. Here they are the
# rows of the tokens themselves: $Q = K = V = X$, with $d_k = 4$.
#
# $$X = \begin{bmatrix} 1.0 & 0.5 & 0.2 & 0.8 \\ 0.3 & 0.9 & 0.1 & 0.4 \\ 0.6 & 0.2 & 0.7 & 0.3
# \end{bmatrix} \quad \begin{matrix} \text{cat} \\ \text{sat} \\ \text{mat} \end{matrix}$$
#
# (This example is also in print with wrong numbers. Trust your arithmetic.)

# %%
c_scores = None  # not scaled yet
c_scaled = None
c_weights = None
c_output = None

# %% [markdown]
# ## Part C, the causal row
#
# A language model may not look at tokens that come later. Such a token is *blocked*: it gets weight 0, and
# the softmax runs over the others.
#
# Suppose one query's scaled scores are $[0.5,\ 0.8,\ 0.3,\ 0.9]$ and the last token comes after the
# query. What are the four weights?

# %%
c_masked_row = None  # four numbers

# %% [markdown]
# ## Try it
#
# Run the next cell: it counts the steps that you have filled in, and adds up each row of weights. Up to
# rounding, the sums should be 1.

# %%
if __name__ == "__main__":
    for part, steps in {
        "A": [a_scores, a_scaled, a_weights, a_output],
        "B": [b_scores, b_scaled, b_weights, b_output],
        "C": [c_scores, c_scaled, c_weights, c_output],
    }.items():
        done = sum(step is not None for step in steps)
        print(f"Part {part}: {done} of 4 steps {'■' * done}{'·' * (4 - done)}")
        if steps[2] is not None:
            print("  rows of weights add up to", *(round(sum(row), 3) for row in steps[2]))
    if c_masked_row is None:
        print("The causal row: not filled in yet")
    else:
        print("The weights of the causal row add up to", round(sum(c_masked_row), 3))

# %% [markdown]
# ## Check your work
#
# Save this file, then run in a terminal:
#
#     autograder check hand_computation
#
# The command shows your points. If something is wrong, the command shows the mistake and a hint.
# With `--hint`, it shows the next hint. With `watch` instead of `check`, it checks each save.

# %% [markdown]
# ## Where this comes from
#
# The formula is equation 1 of [Vaswani et al., *Attention Is All You Need*
# (2017)](https://arxiv.org/abs/1706.03762), section 3.2.1. In PyTorch it is one call,
# `torch.nn.functional.scaled_dot_product_attention(Q, K, V)`.
#
# ## Further reading
#
# - [Bahdanau, Cho and Bengio (2014)](https://arxiv.org/abs/1409.0473): where attention was first
#   used to translate; section 3.1 has the weighted sum.
# - [Phuong and Hutter, *Formal Algorithms for Transformers*
#   (2022)](https://arxiv.org/abs/2207.09238): the same steps as pseudocode, with every shape.
