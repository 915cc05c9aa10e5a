# %% [markdown]
# # Reading attention
#
# *About 30 minutes. Needs the weights of `scaled_dot_product_attention`.*
#
# A matrix of attention weights says who looks at whom. Row $i$ belongs to query $i$, and its entries
# sum to 1. Three measures describe a pattern:
#
# | measure | what it is | what it tells |
# |---|---|---|
# | `self_attention` | the mean of the diagonal | how much each token looks at itself |
# | `max_attention` | the largest weight of the whole matrix | how sharp the sharpest link is |
# | `entropy` | the mean over the rows of $-\sum_j p_j \ln p_j$ | how widely attention is spread |
#
# Here the queries, keys and values are the embeddings themselves, so the weights are
#
# $$A = \operatorname{softmax}\!\left(\frac{E E^\top}{\sqrt d}\right)$$
#
# with one row of $E$ for each token and $d$ the number of its columns.
#
# **By hand.** Two tokens with the embeddings $[1, 0]$ and $[0, 1]$. The scores are $1$ on the
# diagonal and $0$ beside it; divided by $\sqrt 2$: $0.707$ and $0$. Each row of $A$ is
# $[0.670,\ 0.330]$ or the reverse. So `self_attention` is $0.670$, `max_attention` is $0.670$, and
# `entropy` is $-(0.670 \ln 0.670 + 0.330 \ln 0.330) = 0.634$.
#
# **What do you expect to see?**
#
# - If all embeddings are equal, every row is spread evenly: the entropy is $\ln L$.
# - If all embeddings have the same length, the largest score of each row is on the diagonal. It is the
#   squared length.
# - Tokens with similar embeddings look at each other.
# - If one embedding is much longer than the others, every token whose embedding points in a similar
#   direction looks at it.
#
# ![Three matrices of weights. First: every weight is 0.25. Second: 0.89 on the diagonal and 0.04
# elsewhere. Third: blocks of 0.47, where two tokens attend to each other and to
# themselves.](figures/attention_patterns.png)

# %%
import numpy as np

# %% [markdown]
# ## Your task
#
# Write both functions. What is graded:
#
# - **Measures.** `analyze_pattern` computes the three measures, as a dict with these keys.
# - **Large scores.** The embeddings may be so large that scores reach some thousands: use a stable
#   softmax. In the entropy, the term of a weight of 0 is 0.
# - **Strongest links.** `strongest_links` lists, for each query in order, its `k` largest weights,
#   no more, the largest first: pairs of the token that is looked at and the weight. The query's own token
#   counts as well.
# - **Equal weights and tokens.** Equal weights may stand in any order. Each query has a list of
#   pairs, not a dict: “the” occurs twice in “the cat sat on the mat”.
# - **Sizes.** There may be any number of tokens, also one, and any `k` from 1. If `k` is larger than
#   the number of tokens, all links are listed.
# - **No side effects.** Neither function changes its arguments or earlier results, and no result
#   depends on earlier calls.


# %%
def analyze_pattern(embeddings):
    """Three measures of self-attention with Q = K = V = embeddings, scaled.

    embeddings: (L, d).
    Returns {"self_attention": ..., "max_attention": ..., "entropy": ...}.
    """
    ### BEGIN SOLUTION
    embeddings = np.asarray(embeddings, dtype=float)
    scores = embeddings @ embeddings.T / np.sqrt(embeddings.shape[1])
    exponentials = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights = exponentials / exponentials.sum(axis=1, keepdims=True)
    logarithms = np.log(np.where(weights > 0, weights, 1))
    return {
        "self_attention": float(np.diag(weights).mean()),
        "max_attention": float(weights.max()),
        "entropy": float(-(weights * logarithms).sum(axis=1).mean()),
    }
    ### END SOLUTION


# %%
def strongest_links(weights, tokens, k=2):
    """For each query its k largest links, largest first: [(token, weight), ...].

    weights: (L, L). tokens: L strings. If k is larger than L, list all links.
    Returns a list with one such list for each query.
    """
    ### BEGIN SOLUTION
    links = []
    for row in np.asarray(weights):
        largest_first = np.argsort(-row)[:k]
        links.append([(tokens[j], float(row[j])) for j in largest_first])
    return links
    ### END SOLUTION


# %% [markdown]
# ## Try it
#
# The measures of the example should be 0.670, 0.670 and 0.634. Then look at a sentence in which
# "cat" and "mat" have nearly the same embedding, and at its weights in percent: at which tokens do they
# look?

# %%
if __name__ == "__main__":
    tokens = ["The", "cat", "sat", "on", "the", "mat"]
    embeddings = np.random.default_rng(0).normal(size=(6, 8))
    embeddings[5] = embeddings[1] + 0.1
    scores = embeddings @ embeddings.T / np.sqrt(8)
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights = weights / weights.sum(axis=1, keepdims=True)
    for token, row in zip(tokens, weights, strict=True):
        print(f"{token:4}", *(f"{100 * weight:4.0f}" for weight in row))
    try:
        print("the example:", analyze_pattern(np.eye(2)))
        for token, links in zip(tokens, strongest_links(weights, tokens), strict=True):
            print(token, links)
    except NotImplementedError:
        print("… and the rest is not written yet")

# %% [markdown] after="check"
# ## Where this comes from
#
# [Clark et al., *What Does BERT Look At?* (2019)](https://arxiv.org/abs/1906.04341), section 3,
# reads the heads of a trained model like this: by where they look, and by the entropy of their
# weights. In PyTorch, `torch.distributions.Categorical(probs=weights).entropy()` and
# `torch.topk`.
#
# ## Further reading
#
# - [Jain and Wallace, *Attention is not Explanation* (2019)](https://arxiv.org/abs/1902.10186),
#   and the answer, [Wiegreffe and Pinter, *Attention is not not Explanation*
#   (2019)](https://arxiv.org/abs/1908.04626): how much such a matrix tells.
# - [numpy.argsort](https://numpy.org/doc/stable/reference/generated/numpy.argsort.html): the
#   order of the entries, and what happens to ties.
