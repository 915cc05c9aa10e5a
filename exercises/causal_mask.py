# %% [markdown]
# # The causal mask
#
# A language model predicts the next word. While it learns, the whole sentence is there, so it must
# be kept from looking at the answer: position $i$ may attend to positions $0, 1, \dots, i$ and to
# none after it. For four positions, with 1 for "may attend":
#
# |  | key 0 | key 1 | key 2 | key 3 |
# |---|---|---|---|---|
# | **query 0** | 1 | 0 | 0 | 0 |
# | **query 1** | 1 | 1 | 0 | 0 |
# | **query 2** | 1 | 1 | 1 | 0 |
# | **query 3** | 1 | 1 | 1 | 1 |
#
# **The convention: True (or 1) means "may attend".** Some libraries mean the opposite (the boolean
# `attn_mask` of `torch.nn.MultiheadAttention` does), so always look it up.
#
# **Where the mask acts.** On the scores, *before* the softmax: a blocked score becomes so low that
# its exponential is 0. Setting weights to 0 *after* the softmax would leave rows that no longer sum
# to 1; setting a score to 0 would not block it, since $e^0 = 1$.
#
# **By hand.** A query has the scores $[1, 2, 3]$ and the last key is blocked. With $[1, 2, -\infty]$
# the exponentials are $2.718,\ 7.389,\ 0$, and the weights $[0.269,\ 0.731,\ 0]$.

# %%
import numpy as np

# %% [markdown]
# ## Your task
#
# Write four small functions. Masks may hold `True`/`False` or 1/0, and may have fewer rows or axes
# than the scores: NumPy stretches (broadcasts) them.


# %%
def create_causal_mask(seq_len):
    """The (seq_len, seq_len) mask: true (or 1) where the key is not after the query."""
    # YOUR CODE HERE
    raise NotImplementedError()


# %%
def apply_mask(scores, mask):
    """The scores, with blocked entries so low that a softmax gives them weight 0.

    scores: (..., L_q, L_k). mask: fits the scores; true (1) where a query may attend.
    Returns a new array; allowed entries are unchanged.
    """
    # YOUR CODE HERE
    raise NotImplementedError()


# %%
def masked_attention_weights(scores, mask):
    """The attention weights of scores that are already scaled: each row sums to 1."""
    # YOUR CODE HERE
    raise NotImplementedError()


# %%
def count_visible(seq_len):
    """How many positions each query sees under the causal mask, as whole numbers."""
    # YOUR CODE HERE
    raise NotImplementedError()


# %% [markdown]
# ## Try it
#
# The weights should be close to `[[1. 0.] [0.269 0.731]]`, the counts `1, 2, 3, 4`.

# %%
if __name__ == "__main__":
    print(create_causal_mask(4))
    print(masked_attention_weights(np.array([[1.0, 2.0], [1.0, 2.0]]), create_causal_mask(2)))
    print(count_visible(4))

# %% [markdown]
# ## Check your work
#
# Save this file, then run in a terminal: `autograder check causal_mask`. It shows your points and, if
# something is not right yet, what it is and a hint; `--hint` shows one more.
