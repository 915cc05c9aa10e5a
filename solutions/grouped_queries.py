# %% [markdown]
# # Grouped queries and a window: attention that remembers less
#
# *About 45 minutes. Needs scaled dot-product attention, the causal mask, and axes for heads.*
#
# A model that writes a text keeps the keys and values of all tokens so far. How much is that? Take 32
# layers with 32 heads, and 128 numbers for each key and each value, at 2 bytes a number. One token then
# costs $2 \cdot 32 \cdot 32 \cdot 128 \cdot 2 = 524{,}288$ bytes, which is half a mebibyte. A text of
# 4,096 tokens costs 2 GiB, and the model reads all of it for each new token.
#
# There are two ways to keep less: fewer heads, or fewer tokens. This exercise has both.
#
# **Fewer heads.** Each head needs queries of its own, because it asks its own question. But do the keys
# and values have to be different in each head? With *grouped queries*, several heads use the same keys
# and values. Let there be $H$ heads of queries and $G$ heads of keys and values (*kv heads*), where $H$
# is a multiple of $G$. Then $r = H / G$ neighbouring heads share one kv head:
#
# $$\text{head } h \text{ uses the kv head } \lfloor h / r \rfloor.$$
#
# For $H = 6$ and $G = 2$, the heads 0, 1 and 2 use kv head 0, and the heads 3, 4 and 5 use kv head 1.
# Only the two kv heads are kept. With $G = H$ this is the usual attention with several heads. With
# $G = 1$ all heads share one kv head. With $G = 8$, the text above costs 512 MiB instead of 2 GiB.
#
# ![Left: six heads of queries, 0 to 5, above two kv heads. Lines go from the heads 0, 1 and 2 to kv
# head 0, and from the heads 3, 4 and 5 to kv head 1. Middle: a causal mask for six tokens, where
# query 5 sees six tokens. Right: a window of three tokens. Query 0 sees only itself, query 1 sees two
# tokens, and each later query sees three: itself and the two before it.](figures/grouped_queries.png)
#
# **By hand.** Let $H = 4$ and $G = 2$, with one query in each head and two tokens to look at. All queries
# are 0. So all scores are 0, and each weight is $\tfrac{1}{2}$. In kv head 0, the values of the two tokens
# are 2 and 4. In kv head 1, they are 10 and 30. Then the outputs of the four heads are the means
# $3, 3, 20, 20$.
#
# **What if you repeat the kv heads in another order?** An easy mistake is 0, 1, 0, 1 instead of
# 0, 0, 1, 1. The outputs would be $3, 20, 3, 20$. All shapes are right, and there is no error. But each
# head was trained with its own kv head, so the model writes nonsense. For $G = 1$ and for $G = H$ you
# cannot see the mistake. Why not?
#
# **Is it necessary to repeat anything?** No. To copy each kv head $r$ times is the simplest way, and it is
# a right answer here. But the copies take memory, and memory was the point. You can also give the
# queries one more axis, from $(H, L, d)$ to $(G, r, L, d)$, and let the kv heads broadcast along it.
#
# **Fewer tokens.** Does a query have to see the whole text? With a *window* of $w$ tokens, query $i$ sees
# the last $w$ positions, itself included:
#
# $$\text{query } i \text{ sees key } j \text{ if } i - w < j \le i.$$
#
# So it sees $\min(i + 1, w)$ tokens, and no more than $w$ keys and values have to be kept. With $w = 1$
# each token sees only itself. With $w \ge n$ the window is the whole causal mask.
#
# **Does the window count the token itself?** Public code disagrees, and models have been run with a
# window that is one token too long. Here the token counts: $w = 3$ means the token and the two before
# it.
#
# **Are tokens outside the window lost?** Not for a model with several layers. A token sees $w - 1$ tokens
# back, and these have seen $w - 1$ tokens back in the layer below. With 32 layers and
# $w = 4096$, something can reach a token from $32 \cdot 4095 = 131{,}040$ tokens back.

# %%
import numpy as np

# %% [markdown]
# ## Your task
#
# Write three functions. What is graded:
#
# - **Repeated heads.** `repeat_heads` returns `heads` heads. Head $h$ equals kv head
#   $\lfloor h / r \rfloor$, where $r$ is `heads` divided by the number of kv heads.
# - **Multiples only.** If `heads` is not a multiple of the number of kv heads, `repeat_heads` raises a
#   `ValueError`. The message contains both numbers.
# - **Weights.** `grouped_attention` divides the scores by $\sqrt{d_k}$ and takes the softmax over the
#   keys. Each head of queries uses the kv head of its group. Scores may be as large as ±1,000.
# - **Output.** The weights of a head multiply the values of the same kv head.
# - **Mask.** The mask is true (or 1) where a query may attend. It broadcasts against the weights as in
#   NumPy. It may be of booleans, integers or floats. A blocked key gets weight 0. Each query may
#   attend to at least one key.
# - **Window.** `window_mask` is true where query $i$ sees key $j$: $i - w < j \le i$. Zeros and ones
#   are right too.
# - **No empty window.** If `w` is less than 1, `window_mask` raises a `ValueError`.
# - **Sizes.** There may be any number of axes in front of the heads, or none. There may be other numbers
#   of queries than keys, and the values may have another width than the keys. `w` may be larger
#   than `n`.
# - **No side effects.** No function changes its arguments, and no result depends on earlier calls.
#
# If `repeat_heads` is wrong, you lose points only once: `grouped_attention` is right if it is right for
# your own `repeat_heads`, and the output is right if it is right for your own weights. Some tests use
# inputs that are made to show a mistake. With a single kv head, for example, the order of the heads
# does not show.


# %%
def repeat_heads(kv, heads):
    """Return keys or values with each kv head repeated for its group.

    kv: (..., kv_heads, L, d).
    heads: the number of heads of the result, a multiple of kv_heads.
    Returns (..., heads, L, d).
    Raises ValueError if heads is not a multiple of kv_heads. Its message contains
    both numbers.
    """
    ### BEGIN SOLUTION
    kv_heads = kv.shape[-3]
    if heads % kv_heads:
        raise ValueError(f"{heads} heads cannot share {kv_heads} heads of keys and values")
    return np.repeat(kv, heads // kv_heads, axis=-3)
    ### END SOLUTION


# %%
def grouped_attention(q, k, v, mask=None):
    """Return the output and the weights of attention with grouped queries.

    q: (..., heads, L_q, d_k).
    k: (..., kv_heads, L_k, d_k).
    v: (..., kv_heads, L_k, d_v).
    mask: true where a query may attend; broadcasts against the weights. Or None.
    Returns output (..., heads, L_q, d_v) and weights (..., heads, L_q, L_k).
    """
    ### BEGIN SOLUTION
    heads, d_k = q.shape[-3], q.shape[-1]
    scores = q @ np.swapaxes(repeat_heads(k, heads), -1, -2) / np.sqrt(d_k)
    if mask is not None:
        scores = np.where(np.asarray(mask, dtype=bool), scores, -np.inf)
    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = exponentials / exponentials.sum(axis=-1, keepdims=True)
    return weights @ repeat_heads(v, heads), weights
    ### END SOLUTION


# %%
def window_mask(n, w):
    """Return the mask of a window, (n, n): true where query i may see key j.

    n: the number of tokens.
    w: the size of the window; the token itself counts.
    Raises ValueError if w is less than 1.
    """
    ### BEGIN SOLUTION
    if w < 1:
        raise ValueError("a window has at least one token")
    distance = np.arange(n)[:, None] - np.arange(n)
    return (distance >= 0) & (distance < w)
    ### END SOLUTION


# %% [markdown]
# ## Try it
#
# The repeated heads should be 5, 5, 7 and 7, and the outputs those of the example by hand: 3, 3, 20 and
# 20. The mask should be the right one of the figure.

# %%
if __name__ == "__main__":
    kv = np.array([5.0, 7.0]).reshape(2, 1, 1)
    print("two kv heads:", kv.ravel())
    try:
        print("four heads:", np.ravel(repeat_heads(kv, 4)))
        q, k = np.zeros((4, 1, 1)), np.ones((2, 2, 1))
        v = np.array([2.0, 4.0, 10.0, 30.0]).reshape(2, 2, 1)
        print("outputs:", np.ravel(grouped_attention(q, k, v)[0]))
        print("window of three tokens:\n", np.asarray(window_mask(6, 3)).astype(int))
    except NotImplementedError:
        print("… and the rest is not written yet")

# %% [markdown] after="check"
# ## Where this comes from
#
# - One kv head for all heads: [Shazeer, *Fast Transformer Decoding: One Write-Head is All You Need*
#   (2019)](https://arxiv.org/abs/1911.02150), section 3.
# - Groups: [Ainslie et al., *GQA: Training Generalized Multi-Query Transformer Models from Multi-Head
#   Checkpoints* (2023)](https://arxiv.org/abs/2305.13245), section 2.2. There the kv heads of a trained
#   model are averaged within each group, and then the model is trained a little longer.
# - Windows: [Beltagy, Peters and Cohan, *Longformer: The Long-Document Transformer*
#   (2020)](https://arxiv.org/abs/2004.05150), section 3.1, with tokens on both sides. [Jiang et al.,
#   *Mistral 7B* (2023)](https://arxiv.org/abs/2310.06825), section 2, uses only tokens before the
#   query. Its words, from $i - W$ to $i$, mean $W + 1$ tokens.
#
# ## Further reading
#
# - A pull request that corrects the order of the repeated heads in a standard: [onnx
#   #7274](https://github.com/onnx/onnx/pull/7274).
# - A window that was one token too long: [transformers
#   #39408](https://github.com/huggingface/transformers/issues/39408).
# - Has a window of 128 tokens 128 or 129? Two authors of a library discuss it: [mlx-lm
#   #390](https://github.com/ml-explore/mlx-lm/pull/390).
