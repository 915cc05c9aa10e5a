# %% [markdown]
# # Near and far: a bias for each distance
#
# *About 40 minutes. Needs the causal mask, the softmax of each row, and the idea of heads.*
#
# Most methods change the embeddings, or the queries and keys, to say where a token stands. Is there a
# simpler way? A score is only a number. So subtract a number from it, a larger one for a token that is
# farther away. This is ALiBi, *attention with linear biases*.
#
# Let a query stand at position $p$, and a key at position $j \le p$. Their distance is $p - j$. In a
# head with the slope $m > 0$, their score becomes
#
# $$\frac{q \cdot k}{\sqrt d} - m\,(p - j),$$
#
# and the softmax follows. Nothing is learned here: the slopes are fixed. A key after the query gets
# the bias $-\infty$, so the bias is also the causal mask.
#
# **By hand.** A query stands at position 3, and it sees the keys 0 to 3. With the slope
# $\tfrac{1}{4}$, the biases are $-\tfrac{1}{4} \cdot [3, 2, 1, 0] = [-0.75,\ -0.5,\ -0.25,\ 0]$. If all four
# scores are equal, then the weights are $[0.165,\ 0.212,\ 0.273,\ 0.350]$: the nearest token gets the
# most.
#
# **Why does each head have its own slope?** A large slope makes a head look at its neighbours only. A
# small slope lets it look far back. With several heads, a model has both. The slopes for $h = 4$ heads
# are $\tfrac{1}{4}, \tfrac{1}{16}, \tfrac{1}{64}, \tfrac{1}{256}$. In general, if $h$ is a power of two, they are
#
# $$2^{-8/h},\ 2^{-16/h},\ 2^{-24/h},\ \dots,\ 2^{-8}.$$
#
# So the first slope is also the ratio of each slope to the one before it.
#
# ![Left: the biases of a head with slope 1/4, for four queries and four keys. The diagonal is 0, and
# each step to the left subtracts 0.25. Places above the diagonal are hatched. Middle: two new queries
# and four keys. The two rows equal the last two rows on the left. Right: the weights of the last of
# eight tokens in four heads, for equal scores. With slope 1/4 the weights fall from 0.26 at the token
# itself to 0.04. With slope 1/256 all are 0.12 or 0.13.](figures/relative_bias.png)
#
# **Six heads.** Six is no power of two. The published code then works like this:
#
# 1. Take the slopes for the largest power of two below $h$. For $h = 6$ this is 4, with the slopes
#    $\tfrac{1}{4}, \tfrac{1}{16}, \tfrac{1}{64}, \tfrac{1}{256}$.
# 2. Take the slopes for twice as many heads. For 8 heads they are
#    $\tfrac{1}{2}, \tfrac{1}{4}, \tfrac{1}{8}, \dots, \tfrac{1}{256}$.
# 3. Of these, take every other slope, beginning with the first, and append as many as are missing:
#    $\tfrac{1}{2}$ and $\tfrac{1}{8}$.
#
# The result is $[\tfrac{1}{4}, \tfrac{1}{16}, \tfrac{1}{64}, \tfrac{1}{256}, \tfrac{1}{2}, \tfrac{1}{8}]$, in this order.
#
# **Fewer queries than keys.** A model that writes a text keeps the keys of all earlier tokens, and it
# has queries only for the new tokens. Where does such a query stand? The new tokens are the last ones.
# So with `q_len` queries and `k_len` keys, query $i$ stands at position `k_len - q_len + i`. With two
# queries and five keys, query 0 stands at position 3: it sees the keys 0 to 3.
#
# **What does a softmax not see?** A constant that is added to a whole row. $m j$ and $-m\,(p - j)$
# differ by $m p$, which is the same for all keys of a query. So both give the same weights, and both
# are right here.

# %%
import numpy as np

# %% [markdown]
# ## Your task
#
# Write two functions. What is graded:
#
# - **Powers of two.** If `h` is a power of two, `alibi_slopes` gives $2^{-8/h}, 2^{-16/h}, \dots$ 1 is
#   a power of two too.
# - **Other numbers of heads.** For any other `h`, it gives the slopes of the published code, as in the
#   three steps above and in this order.
# - **Distances.** `alibi` gives minus slope times distance, and each head has its own slope. A constant
#   that you add to a row changes nothing.
# - **Later keys.** A key after the query gets $-\infty$. A number that is at least as low as
#   $-10^9$ is right too.
# - **Fewer queries.** `q_len` is at most `k_len`. Query $i$ stands at position
#   `k_len - q_len + i`.
# - **Sizes.** `h`, `q_len` and `k_len` are at least 1. Lengths may be some hundreds, and `h` up to 64.
# - **No side effects.** No result depends on earlier calls.
#
# If your slopes are wrong, you lose points only once: `alibi` is right if it is right for your slopes.
# Some tests use numbers that are made to show a mistake. For `q_len == k_len`, for example, it does not
# show where the query stands.


# %%
def alibi_slopes(h):
    """Return the slopes of h heads: (h,).

    h: the number of heads, at least 1.
    """
    # YOUR CODE HERE
    raise NotImplementedError()


# %%
def alibi(h, q_len, k_len):
    """Return the biases of h heads, to add to the scores: (h, q_len, k_len).

    h: the number of heads; head number n has the slope alibi_slopes(h)[n].
    q_len: the number of queries, at most k_len.
    k_len: the number of keys.
    Query i stands at position k_len − q_len + i, key j at position j.
    Keys after the query have −inf.
    """
    # YOUR CODE HERE
    raise NotImplementedError()


# %% [markdown]
# ## Try it
#
# The slopes for 4 heads begin with 0.25, and those for 6 heads end with 0.5 and 0.125. The last row of
# the biases is the example by hand. The weights should be close to `[0.165 0.212 0.273 0.35]`.

# %%
if __name__ == "__main__":
    print("distances of a query at position 3:", 3 - np.arange(4))
    try:
        print("slopes, 4 heads:", alibi_slopes(4))
        print("slopes, 6 heads:", alibi_slopes(6))
        bias = np.asarray(alibi(4, 2, 4))[0]
        print("biases of head 0, two queries and four keys:\n", bias)
        exponentials = np.exp(bias[1])
        print("weights of the last query:", np.round(exponentials / exponentials.sum(), 3))
    except NotImplementedError:
        print("… and the rest is not written yet")

# %% [markdown]
# ## Check your work
#
# Save this file, then run in a terminal:
#
#     autograder check relative_bias
#
# The command shows your points. If something is wrong, the command shows the mistake and a hint.
# With `--hint`, it shows the next hint. With `watch` instead of `check`, it checks each save.

# %% [markdown]
# ## Where this comes from
#
# Section 3 of [Press, Smith and Lewis, *Train Short, Test Long: Attention with Linear Biases Enables
# Input Length Extrapolation* (2022)](https://arxiv.org/abs/2108.12409). The paper gives one formula for
# the slopes, $2^{-8k/h}$, and trains only models in which $h$ is a power of two. The rule for other
# numbers of heads is in the [published
# code](https://github.com/ofirpress/attention_with_linear_biases), which also uses $m j$ in the place
# of $-m\,(p - j)$.
#
# ## Further reading
#
# - [Shaw, Uszkoreit and Vaswani, *Self-Attention with Relative Position Representations*
#   (2018)](https://arxiv.org/abs/1803.02155): one learned vector for each distance.
# - [Raffel et al. (2020)](https://arxiv.org/abs/1910.10683), section 2.1: one learned number for each
#   range of distances and each head (T5).
