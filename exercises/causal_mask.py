# %% [markdown]
# # The causal mask
#
# *About 30 minutes. Needs the softmax of each row, as in `softmax`.*
#
# A language model predicts the next token. While it learns, the whole sentence is there. What keeps it
# from looking at the answer? A mask: token $i$ may attend to tokens $0, 1, \dots, i$ and to none after
# it. For four tokens, with 1 for "may attend":
#
# |  | key 0 | key 1 | key 2 | key 3 |
# |---|---|---|---|---|
# | **query 0** | 1 | 0 | 0 | 0 |
# | **query 1** | 1 | 1 | 0 | 0 |
# | **query 2** | 1 | 1 | 1 | 0 |
# | **query 3** | 1 | 1 | 1 | 1 |
#
# ![Three matrices for four tokens. First: the scores. Second: the same scores, with blocked places
# above the diagonal hatched. Third: their weights. The hatched places have weight 0, and every row
# sums to 1.](figures/causal_mask.png)
#
# **The convention: True (or 1) means "may attend".** Some libraries mean the opposite (the boolean
# `attn_mask` of `torch.nn.MultiheadAttention` does), so always look it up.
#
# **Where does the mask act?** On the scores, *before* the softmax: a blocked score becomes so low that
# its exponential is 0.
#
# - Why not after the softmax? With some weights set to 0, the rows would no longer sum to 1.
# - Why not a score of 0? It would not be blocked, since $e^0 = 1$.
#
# **By hand.** A query has the scores $[1, 2, 3]$ and the last key is blocked. With $[1, 2, -\infty]$
# the exponentials are $2.718,\ 7.389,\ 0$, and the weights $[0.269,\ 0.731,\ 0]$.

# %%
import numpy as np

# %% [markdown]
# ## Your task
#
# Write four small functions. What is graded:
#
# - **Causal mask.** `create_causal_mask` gives the table above, for any `seq_len`.
# - **Masked scores.** `apply_mask` leaves allowed scores as they are, and makes blocked ones so low
#   that they end at weight 0.
# - **Masked weights.** `masked_attention_weights` gives the softmax of each row of the masked scores,
#   which it does not scale. Every query may attend to at least one key.
# - **Counts.** `count_visible` gives one whole number for each query.
# - **Kinds of masks.** Masks need not be causal or square. They hold True and False, or 1 and 0 as
#   whole numbers or decimals, or are what `create_causal_mask` gives. A mask has two axes or more, but
#   not more than the scores. It broadcasts as in NumPy, such as `(H, L_q, L_k)` to `(B, H, L_q, L_k)`.
# - **Large scores.** Scores from −1,000 to 1,000 give the right weights, and no NaN. A blocked score
#   ends at weight 0 even if all allowed scores of its row are −1,000: −∞ and −1e9 are low enough.
# - **Lengths.** `seq_len` is at least 1 and at most 512.
# - **No side effects.** No function changes its arguments or earlier results, and no result depends
#   on earlier calls.


# %%
def create_causal_mask(seq_len):
    """(seq_len, seq_len): true (or 1) where the key is not after the query."""
    # YOUR CODE HERE
    raise NotImplementedError()


# %%
def apply_mask(scores, mask):
    """The scores, with blocked entries so low that a softmax gives them weight 0.

    scores: (..., L_q, L_k).
    mask: true (1) where a query may attend; broadcasts to the scores' shape.
    Returns a new array; allowed entries are unchanged.
    """
    # YOUR CODE HERE
    raise NotImplementedError()


# %%
def masked_attention_weights(scores, mask):
    """The attention weights: the softmax of the masked scores.

    scores: (..., L_q, L_k), already scaled.
    mask: as for apply_mask.
    Returns an array of the same shape; each row sums to 1.
    """
    # YOUR CODE HERE
    raise NotImplementedError()


# %%
def count_visible(seq_len):
    """How many tokens each query may attend to under the causal mask.

    Returns seq_len whole numbers, in the order of the queries.
    """
    # YOUR CODE HERE
    raise NotImplementedError()


# %% [markdown]
# ## Try it
#
# The mask should be a staircase of `■`, the weights close to `[[1. 0.] [0.269 0.731]]`, the counts
# `1, 2, 3, 4`. What is not written yet says so.

# %%
if __name__ == "__main__":
    scores = np.array([[1.0, 2.0], [1.0, 2.0]])
    print("scores:\n", scores)
    try:
        for row in create_causal_mask(4):
            print(" ".join("■" if may_attend else "·" for may_attend in row))
        print("masked scores:\n", apply_mask(scores, create_causal_mask(2)))
        print("weights:\n", masked_attention_weights(scores, create_causal_mask(2)))
        print("visible:", count_visible(4))
    except NotImplementedError:
        print("… and the rest is not written yet")

# %% [markdown]
# ## Check your work
#
# Save this file, then run in a terminal:
#
#     autograder check causal_mask
#
# The command shows your points. If something is wrong, the command shows the mistake and a hint.
# With `--hint`, it shows the next hint. With `watch` instead of `check`, it checks each save.

# %% [markdown]
# ## Where this comes from
#
# Section 3.2.3 of [Vaswani et al., *Attention Is All You Need*
# (2017)](https://arxiv.org/abs/1706.03762): blocked scores of the decoder are set to −∞ before the
# softmax. In PyTorch: `torch.nn.functional.scaled_dot_product_attention(..., is_causal=True)`.
#
# ## Further reading
#
# - [torch.nn.MultiheadAttention](https://docs.pytorch.org/docs/stable/generated/torch.nn.MultiheadAttention.html):
#   there a true entry of `attn_mask` blocks.
# - [Phuong and Hutter, *Formal Algorithms for Transformers*
#   (2022)](https://arxiv.org/abs/2207.09238), section 5: which attention is masked, and why.
