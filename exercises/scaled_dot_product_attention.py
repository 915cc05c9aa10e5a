# %% [markdown]
# # Scaled dot-product attention
#
# This is the operation that Transformers are made of (Vaswani et al., 2017, equation 1):
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
# | `mask` | fits `(..., L_q, L_k)` | **True (or 1) means "may attend"** |
# | `output` | `(..., L_q, d_v)` | one row for each query |
# | `attention_weights` | `(..., L_q, L_k)` | each row sums to 1 |
#
# `...` stands for any number of batch axes, or none.
#
# **The mask, in words.** Where the mask is true, the query may look at the key. This is the
# convention of `torch.nn.functional.scaled_dot_product_attention`. The boolean `attn_mask` of
# `torch.nn.MultiheadAttention` means the opposite: there, true *blocks*. Always look it up.
#
# **By hand.** One query $[1, 0]$, keys $[1, 1]$ and $[0, 2]$, values $[2, 0]$ and $[0, 4]$. The
# scores are $1$ and $0$; divided by $\sqrt 2$: $0.707$ and $0$. The weights are $0.670$ and
# $0.330$, and the output is $0.670 \cdot [2, 0] + 0.330 \cdot [0, 4] = [1.340,\ 1.321]$.

# %%
import numpy as np

# %% [markdown]
# ## Your task
#
# Write the function. `np.swapaxes(K, -1, -2)` exchanges the last two axes and leaves those in
# front alone; `@` multiplies the last two axes as matrices. You may reuse your own softmax:
# `from softmax import softmax` works if `softmax.py` lies in the same folder.


# %%
def scaled_dot_product_attention(Q, K, V, mask=None):
    """softmax(Q K^T / sqrt(d_k)) V, with the weights of blocked keys set to 0.

    Q: (..., L_q, d_k), K: (..., L_k, d_k), V: (..., L_k, d_v).
    mask: None, or true (1) where a query may attend and false (0) where not.
    Returns (output, attention_weights): (..., L_q, d_v) and (..., L_q, L_k).
    """
    # YOUR CODE HERE
    raise NotImplementedError()


# %% [markdown]
# ## Try it
#
# The weights should be close to `[[0.67 0.33]]` and the output to `[[1.34 1.321]]`.

# %%
if __name__ == "__main__":
    output, attention_weights = scaled_dot_product_attention(
        np.array([[1.0, 0.0]]),
        np.array([[1.0, 1.0], [0.0, 2.0]]),
        np.array([[2.0, 0.0], [0.0, 4.0]]),
    )
    print(attention_weights)
    print(output)

# %% [markdown]
# ## Check your work
#
# Save this file, then run in a terminal: `autograder check scaled_dot_product_attention`. It shows your points and, if
# something is not right yet, what it is and a hint; `--hint` shows one more.
