# %% [markdown]
# # Scaled dot-product attention
#
# *About 45 minutes. Needs the four steps of `hand_computation`, and your `softmax`.*
#
# This is the central operation of Transformers (Vaswani et al., 2017, equation 1):
#
# $$\operatorname{Attention}(Q, K, V) = \operatorname{softmax}\!\left(\frac{Q K^\top}{\sqrt{d_k}}\right) V$$
#
# Each **query** asks "what am I looking for?", each **key** says "this is what I have", and the
# **values** are what is handed over. A query's weights say how much of each value it takes.
#
# | name | shape | |
# |---|---|---|
# | `Q` | `(..., L_q, d_k)` | one row for each query |
# | `K` | `(..., L_k, d_k)` | one row for each key; same `d_k` as the queries |
# | `V` | `(..., L_k, d_v)` | one row for each key; its own width |
# | `mask` | broadcasts to `(..., L_q, L_k)` | **True (or 1) means "may attend"** |
# | `output` | `(..., L_q, d_v)` | one row for each query |
# | `attention_weights` | `(..., L_q, L_k)` | each row sums to 1 |
#
# `...` stands for any number of batch axes, or none.
#
# ![The shapes, from left to right. Q has three rows, and K transposed has five columns. Their product,
# the scores, has three rows and five columns. The softmax gives weights whose rows sum to 1. The
# weights times V give three rows of output. A frame marks the second query in each
# matrix.](figures/scaled_dot_product_attention.png)
#
# **What does the mask mean?** Where it is true, the query may look at the key. This is the convention of
# `torch.nn.functional.scaled_dot_product_attention`. The boolean `attn_mask` of
# `torch.nn.MultiheadAttention` means the opposite: there, true *blocks*. Always look it up.
#
# **Where does it act?** On the **scores**, before the softmax: a blocked score becomes −∞ (or very low,
# such as −1e9), so its exponential is 0. Then the blocked weight is 0, and the row still sums to 1.
#
# **By hand.** One query $[1, 0]$, keys $[1, 1]$ and $[0, 2]$, values $[2, 0]$ and $[1, 2]$. The
# scores are $1$ and $0$; divided by $\sqrt 2$: $0.707$ and $0$. The weights are $0.670$ and
# $0.330$, and the output is $0.670 \cdot [2, 0] + 0.330 \cdot [1, 2] = [1.670,\ 0.660]$.

# %%
import numpy as np

# %% [markdown]
# ## Your task
#
# Write the function. `np.swapaxes(K, -1, -2)` exchanges the last two axes and leaves those in
# front alone; `@` multiplies the last two axes as matrices. You may reuse your own softmax:
# `from softmax import softmax` works if `softmax.py` is in the same folder. If yours is wrong, that
# costs points in `softmax` only: results that follow from it count here, if blocked keys get the weight 0.
#
# What is graded:
#
# - **Two results.** The function returns the output, then the weights, in the shapes of the table.
# - **Values.** Output and weights are those of the formula, with scores divided by √d_k, whatever d_k
#   is.
# - **Sizes.** `L_q`, `L_k`, `d_k` and `d_v` may all differ. Q, K and V have the same batch axes:
#   none, one or several.
# - **Mask.** A blocked key gets weight 0, and each row of weights still sums to 1. Every query may
#   attend to at least one key.
# - **Kinds of masks.** A mask holds True and False, or 1 and 0 as whole numbers or decimals. It has
#   two axes or more, but not more than the scores. It broadcasts as in NumPy, such as
#   `(H, L_q, L_k)` to `(B, H, L_q, L_k)`.
# - **Large scores.** Scaled scores as large as ±10,000, or ±1,000 where a mask acts, give the right
#   weights, and no NaN: use a stable softmax.
# - **No side effects.** The function changes neither its arguments nor earlier results, and its
#   results do not depend on earlier calls.


# %%
def scaled_dot_product_attention(Q, K, V, mask=None):
    """softmax(Q K^T / sqrt(d_k)) V; a mask acts before the softmax.

    Q: (..., L_q, d_k), K: (..., L_k, d_k), V: (..., L_k, d_v).
    mask: None, or true (1) where a query may attend and false (0) where not.
    Returns (output, attention_weights): (..., L_q, d_v) and (..., L_q, L_k).
    """
    # YOUR CODE HERE
    raise NotImplementedError()


# %% [markdown]
# ## Try it
#
# The weights should be close to `[[0.67 0.33]]` and the output to `[[1.67 0.66]]`.

# %%
if __name__ == "__main__":
    Q = np.array([[1.0, 0.0]])
    K = np.array([[1.0, 1.0], [0.0, 2.0]])
    V = np.array([[2.0, 0.0], [1.0, 2.0]])
    print("one query:", Q[0], " two keys:", *K, " their values:", *V)
    try:
        output, attention_weights = scaled_dot_product_attention(Q, K, V)
        print("weights:", attention_weights)
        print("output: ", output)
    except NotImplementedError:
        print("scaled_dot_product_attention is not written yet")

# %% [markdown]
# ## Check your work
#
# Save this file, then run in a terminal:
#
#     autograder check scaled_dot_product_attention
#
# The command shows your points. If something is wrong, the command shows the mistake and a hint.
# With `--hint`, it shows the next hint. With `watch` instead of `check`, it checks each save.

# %% [markdown]
# ## Where this comes from
#
# Equation 1 and section 3.2.1 of [Vaswani et al., *Attention Is All You Need*
# (2017)](https://arxiv.org/abs/1706.03762). PyTorch's own is
# [torch.nn.functional.scaled_dot_product_attention](https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.scaled_dot_product_attention.html),
# whose page shows the same steps; it returns only the output.
#
# ## Further reading
#
# - [Phuong and Hutter, *Formal Algorithms for Transformers*
#   (2022)](https://arxiv.org/abs/2207.09238), section 5: attention as pseudocode.
# - [Bahdanau, Cho and Bengio (2014)](https://arxiv.org/abs/1409.0473): attention with another
#   score, a small network instead of the dot product.
