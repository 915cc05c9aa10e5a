# %% [markdown]
# # Softmax in one pass: attention block by block
#
# *About 60 minutes. Needs the softmax with its maximum subtracted, scaled dot-product attention, and
# masks.*
#
# Attention for a text of 100,000 tokens has $100{,}000^2 = 10^{10}$ scores in each head. With 4 bytes per
# number these are 40 GB, although the output of a head has only 100,000 rows. Can you compute the output
# without ever having all scores at once?
#
# The scores of one query come in blocks of keys. But a softmax divides by a sum over *all* keys, and it
# subtracts the maximum of *all* scores, so that no exponential overflows. Both seem to need a first pass
# over everything.
#
# **Three running numbers.** After some of the keys, keep for each query
#
# - $m$: the maximum of the scores $s_j$ so far,
# - $\ell = \sum_j e^{s_j - m}$: the sum of exponentials so far, relative to $m$,
# - $o = \sum_j e^{s_j - m}\, v_j$: the weighted sum of the values so far, *not* divided by anything.
#
# After the last block, the output is $o / \ell$.
#
# **What if a new block has a larger score?** Then $m$ grows to $m'$, and all earlier exponentials are
# relative to the wrong maximum. Do we have to compute them again? No, because
# $e^{s - m'} = e^{s - m} \cdot e^{m - m'}$: the same factor corrects them all. So a new block with the
# scores $s_j$ and the values $v_j$ gives
#
# $$m' = \max(m, \max_j s_j), \qquad \ell' = e^{m - m'}\,\ell + \sum_j e^{s_j - m'}, \qquad
# o' = e^{m - m'}\, o + \sum_j e^{s_j - m'}\, v_j.$$
#
# The factor is at most 1. It is exactly 1 if the maximum does not grow.
#
# **By hand.** A query has the scores $0,\ \ln 2,\ \ln 4$, and the values are $1, 4, 10$. The first block
# has two keys: $m = \ln 2$, $\ell = \tfrac{1}{2} + 1 = 1.5$ and $o = \tfrac{1}{2} \cdot 1 + 1 \cdot 4 = 4.5$. The
# second block has the last key, and the maximum grows to $\ln 4$. The factor is
# $e^{\ln 2 - \ln 4} = \tfrac{1}{2}$, so $\ell = 0.75 + 1 = 1.75$ and $o = 2.25 + 10 = 12.25$. The output is
# $12.25 / 1.75 = 7$. All at once, the weights are $\tfrac{1}{7}, \tfrac{2}{7}, \tfrac{4}{7}$, and
# $(1 + 8 + 40) / 7 = 7$ too.
#
# ![Left: three bars for the scores 0, ln 2 and ln 4, with heights 1, 2 and 4. A line separates the first
# two, block 1, from the third, block 2. Right: a table with a row for the start and one for each block.
# Start: m is −∞, l is 0, o is 0. Block 1: m is ln 2, l is 1.5, o is 4.5. An arrow from block 1 to
# block 2 says “times 1/2, plus the new block”. Block 2: m is ln 4, l is 1.75, o is 12.25. Below: the
# output is 12.25 / 1.75 = 7.](figures/online_softmax.png)
#
# **How does it begin?** Without any key, the maximum is $m = -\infty$, and $\ell$ and $o$ are 0. Why not
# begin with $m = 0$? For ordinary scores it makes no difference in the output. But if all scores are near
# $-2500$, then $e^{s - 0}$ is 0 in floating point, and the output is $0 / 0$. Public code has had
# this mistake, and it showed only for rare inputs.
#
# **A block that is blocked.** A masked score is $-\infty$. If all scores so far are, then $m$ and $m'$
# are both $-\infty$, and $m - m' = -\infty - (-\infty)$ is NaN. But nothing has been seen yet, so $\ell$
# and $o$ should stay 0, and $m$ should stay $-\infty$. Which number could you subtract instead, if $m'$
# is $-\infty$? Remember that $e^{-\infty - c} = 0$ for every finite $c$.
#
# **In which order?** Any order of the blocks gives the same $m$, $\ell$ and $o$, apart from rounding. So
# several processors can share the work, and the size of the blocks is free. This is the core of
# FlashAttention: the blocks are so small that they fit into the fastest memory.

# %%
import matplotlib.pyplot as plt
import numpy as np

# %% [markdown]
# ## Your task
#
# Write three functions. What is graded:
#
# - **Maximum.** `merge` returns the new maximum $m'$, as in the formula.
# - **Sum.** `merge` returns the new sum $\ell'$, relative to $m'$.
# - **Output.** `merge` returns the new $o'$, relative to $m'$ and not divided by $\ell'$.
# - **Blocked keys.** Scores may be $-\infty$, also all scores of a block. As long as a query has only such
#   scores, its $m$ stays $-\infty$, and its $\ell$ and $o$ stay 0. No result is NaN. Warnings are not
#   graded.
# - **Attention.** `tiled_attention` returns the output of attention, with scores divided by $\sqrt{d_k}$.
#   The size of the blocks does not change it.
# - **Blocks.** `tiled_attention` calls `merge` once for each block. A block has at most `block` keys, and
#   there are as few blocks as possible: 3 for 7 keys and `block = 3`. `block` may be larger than the
#   number of keys.
# - **Mask.** The mask is true (or 1) where a query may attend. It may be of booleans, integers or floats.
#   It broadcasts against the scores `(..., L_q, L_k)` as in NumPy: an axis of length 1 counts for all
#   queries or all keys. Each query may attend to at least one key, but not in each block.
# - **Large scores.** Scores may be as far from 0 as ±5,000, and all scores of a query may be negative.
# - **Curves.** `plot_running` draws two curves, as lines or dots: the running maximum and the running sum
#   after each block. The blocks are at 1, 2, 3, … on the x axis. All scores are finite. Both curves may
#   be on the same axes, or each on its own.
# - **Labels.** The x axis has a label, and so has each y axis. There is a title. If both curves are on the
#   same axes, a legend names them. You choose the words.
# - **Sizes.** There may be any number of axes in front of `L_q`, or none. There may be other numbers of
#   queries than keys, and the values may have another width than the keys. Blocks may differ in size.
# - **No side effects.** No function changes its arguments, and no result or figure depends on earlier
#   calls: draw each figure on new axes.
#
# If `merge` is wrong, you lose points only once: `tiled_attention` and `plot_running` are right if they
# are right for your own `merge`. Some tests use inputs that are made to show a mistake: scores near −2,500, or a first block in
# which all keys are blocked.


# %%
def merge(m, l, o, scores, v):
    """Return m, l and o after one more block of keys.

    m: (..., L_q), the maximum so far; −inf if no key was allowed yet.
    l: (..., L_q), the sum of exponentials so far, relative to m.
    o: (..., L_q, d_v), the weighted sum of values so far, relative to m.
    scores: (..., L_q, n) of the new block, −inf for blocked keys.
    v: (..., n, d_v), the values of the new block.
    Returns (m, l, o), with the shapes of the arguments.
    """
    ### BEGIN SOLUTION
    new = np.maximum(m, scores.max(axis=-1))
    finite = np.where(np.isinf(new), 0.0, new)
    factor = np.exp(m - finite)
    exponentials = np.exp(scores - finite[..., None])
    return new, factor * l + exponentials.sum(axis=-1), factor[..., None] * o + exponentials @ v
    ### END SOLUTION


# %%
def tiled_attention(q, k, v, block, mask=None):
    """Return the output of attention, computed block by block with merge.

    q: (..., L_q, d_k).
    k: (..., L_k, d_k).
    v: (..., L_k, d_v).
    block: the largest number of keys in a block, at least 1.
    mask: true where a query may attend, or None. It broadcasts against
        (..., L_q, L_k).
    Returns (..., L_q, d_v).
    """
    ### BEGIN SOLUTION
    keys = k.shape[-2]
    if mask is None:
        mask = True
    mask = np.broadcast_to(np.asarray(mask, dtype=bool), (*q.shape[:-1], keys))
    l = np.zeros(q.shape[:-1])
    m, o = l - np.inf, np.zeros((*l.shape, v.shape[-1]))
    for start in range(0, keys, block):
        part = slice(start, start + block)
        scores = q @ np.swapaxes(k[..., part, :], -1, -2) / np.sqrt(q.shape[-1])
        scores = np.where(mask[..., part], scores, -np.inf)
        m, l, o = merge(m, l, o, scores, v[..., part, :])
    return o / l[..., None]
    ### END SOLUTION


# %%
def plot_running(scores, block):
    """Return a figure of the running maximum and sum after each block.

    scores: (L_k,), the scores of one query.
    block: the largest number of keys in a block.
    The figure has labels, a title, and a legend if both curves share their axes.
    Returns the matplotlib figure.
    """
    ### BEGIN SOLUTION
    seen = [scores[: start + block] for start in range(0, len(scores), block)]
    blocks = np.arange(len(seen)) + 1
    figure, axes = plt.subplots()
    axes.plot(blocks, [np.max(each) for each in seen], marker="o", label="maximum m")
    axes.plot(blocks, [np.exp(each - max(each)).sum() for each in seen], marker="s", label="sum l")
    axes.set(xlabel="blocks so far", ylabel="m and l", title="Running maximum and running sum")
    axes.legend()
    return figure
    ### END SOLUTION


# %% [markdown]
# ## Try it
#
# The three numbers should be those of the example by hand, and the output 7 for each size of block. Then
# look at the curves of 64 random scores. At which blocks does the maximum grow, and what happens to the
# sum there?

# %%
if __name__ == "__main__":
    scores, v = np.log([[1.0, 2.0, 4.0]]), np.array([[1.0], [4.0], [10.0]])
    print("scores:", np.round(scores, 3))
    try:
        m, l, o = np.full(1, -np.inf), np.zeros(1), np.zeros((1, 1))
        m, l, o = merge(m, l, o, scores[:, :2], v[:2])
        print("after block 1:", m, l, np.ravel(o))
        m, l, o = merge(m, l, o, scores[:, 2:], v[2:])
        print("after block 2:", m, l, np.ravel(o))
        for block in (1, 2, 3):
            print("output:", tiled_attention(np.ones((1, 1)), scores.T, v, block))
        plot_running(np.random.default_rng(1).normal(size=64), 4)
        plt.show()
    except NotImplementedError:
        print("… and the rest is not written yet")

# %% [markdown] after="check"
# ## Where this comes from
#
# - The running maximum and sum: [Milakov and Gimelshein, *Online normalizer calculation for softmax*
#   (2018)](https://arxiv.org/abs/1805.02867), algorithm 3.
# - Attention with them, one key at a time: [Rabe and Staats, *Self-attention Does Not Need O(n²) Memory*
#   (2021)](https://arxiv.org/abs/2112.05682), section 3.
# - In blocks that fit into fast memory: [Dao, Fu, Ermon, Rudra and Ré, *FlashAttention: Fast and
#   Memory-Efficient Exact Attention with IO-Awareness* (2022)](https://arxiv.org/abs/2205.14135),
#   algorithm 1.
# - Without the division after each block: [Dao, *FlashAttention-2: Faster Attention with Better
#   Parallelism and Work Partitioning* (2023)](https://arxiv.org/abs/2307.08691), section 3.1.1.
#
# ## Further reading
#
# - A maximum that became 0 in a blocked block and stayed there: [flash-attention
#   #2082](https://github.com/Dao-AILab/flash-attention/issues/2082).
# - NaN from $-\infty - (-\infty)$: [pytorch
#   #130014](https://github.com/pytorch/pytorch/pull/130014).
