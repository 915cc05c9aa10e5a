# %% [markdown]
# # Reading attention
#
# A matrix of attention weights says who looks at whom. Row $i$ belongs to query $i$, and its entries
# sum to 1. Three numbers sum a pattern up:
#
# | measure | what it is | what it tells |
# |---|---|---|
# | `self_attention` | the mean of the diagonal | how much each position looks at itself |
# | `max_attention` | the largest weight of the whole matrix | how sharp the sharpest link is |
# | `entropy` | the mean over the rows of $-\sum_j p_j \ln p_j$ | how widely attention is spread |
#
# Here the queries, keys and values are the embeddings themselves, so the weights are
#
# $$A = \operatorname{softmax}\!\left(\frac{E E^\top}{\sqrt d}\right)$$
#
# with one row of $E$ for each position and $d$ the number of its columns.
#
# **By hand.** Two positions with the embeddings $[1, 0]$ and $[0, 1]$. The scores are $1$ on the
# diagonal and $0$ beside it; divided by $\sqrt 2$: $0.707$ and $0$. Each row of $A$ is
# $[0.670,\ 0.330]$ or the reverse. So `self_attention` is $0.670$, `max_attention` is $0.670$, and
# `entropy` is $-(0.670 \ln 0.670 + 0.330 \ln 0.330) = 0.634$.
#
# **What to expect.** If all embeddings are equal, every row is spread evenly: the entropy is
# $\ln L$. If a few are alike, they look at each other. And long embeddings look at themselves: a
# vector's dot product with itself is its squared length.

# %%
import numpy as np

# %% [markdown]
# ## Your task
#
# 1. `analyze_pattern` computes the three measures, as a dict with these keys.
# 2. `strongest_links` lists, for each query in order, its `k` largest weights, the largest first:
#    pairs of the token that is looked at and the weight. The query's own position counts as well. A
#    *list* of pairs, not a dict: "the" occurs twice in "the cat sat on the mat".


# %%
def analyze_pattern(embeddings):
    """Three measures of self-attention with Q = K = V = embeddings, scaled.

    embeddings: (L, d).
    Returns {"self_attention": ..., "max_attention": ..., "entropy": ...}.
    """
    # YOUR CODE HERE
    raise NotImplementedError()


# %%
def strongest_links(weights, tokens, k=2):
    """For each query its k largest links, largest first: [(token, weight), ...].

    weights: (L, L). tokens: L words. If k is larger than L, all links are listed.
    Returns a list with one such list for each query.
    """
    # YOUR CODE HERE
    raise NotImplementedError()


# %% [markdown]
# ## Try it
#
# The measures of the example should be 0.670, 0.670 and 0.634. Then look at a sentence in which
# "cat" and "mat" have nearly the same embedding: whom do they look at?

# %%
if __name__ == "__main__":
    print(analyze_pattern(np.eye(2)))
    tokens = ["The", "cat", "sat", "on", "the", "mat"]
    embeddings = np.random.default_rng(0).normal(size=(6, 8))
    embeddings[5] = embeddings[1] + 0.1
    scores = embeddings @ embeddings.T / np.sqrt(8)
    weights = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    for token, links in zip(tokens, strongest_links(weights, tokens), strict=True):
        print(token, links)

# %% [markdown]
# ## Check your work
#
# Save this file, then run in a terminal: `autograder check attention_patterns`. It shows your points and, if
# something is not right yet, what it is and a hint; `--hint` shows one more.
