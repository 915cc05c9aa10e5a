# %% [markdown]
# # Choosing the next token: temperature, top-k and top-p
#
# *About 45 minutes. Needs the softmax, sorting with NumPy, and plotting with matplotlib.*
#
# A language model does not write a token. It gives one number for each token of its vocabulary, the
# *logits*, and their softmax gives probabilities. Then somebody has to choose. Always the likeliest
# token? Such texts soon repeat themselves. A random token, with these probabilities? Then each unlikely
# token is rare, but there are tens of thousands of them, and together they are not rare at all.
#
# This exercise builds the usual ways between these two. Our example has four tokens, and the logits are
# the natural logarithms of the probabilities:
#
# | index | 0 | 1 | 2 | 3 |
# |---|---|---|---|---|
# | token | cat | dog | fish | hen |
# | probability | 0.25 | 0.5 | 0.1 | 0.15 |
#
# **Temperature.** Divide all logits by a number $t > 0$, before the softmax:
#
# $$p_i = \frac{e^{z_i / t}}{\sum_j e^{z_j / t}}.$$
#
# Since $e^{z/t} = (e^z)^{1/t}$, each probability is raised to the power $1/t$, and then all are divided
# by their sum. For $t = \tfrac{1}{2}$ these are the squares $0.0625,\ 0.25,\ 0.01,\ 0.0225$ with the sum
# $0.345$. So the new probabilities are $[0.181,\ 0.725,\ 0.029,\ 0.065]$: the differences grow. For
# $t = 2$ they shrink, to $[0.262,\ 0.370,\ 0.166,\ 0.203]$.
#
# **Why not divide the probabilities by $t$?** All of them change by the same factor. Divide them by
# their sum, and they are what they were before.
#
# **What is $t = 0$?** The formula divides by 0. But look at small $t$: the largest logit gets nearly all
# of the probability. So for $t = 0$ it gets all of it, and all others get 0. If several logits are the
# largest, we give the probability 1 to the first of them.
#
# ![Left: the probabilities of four tokens as bars, for the temperatures 0.5, 1 and 2. Dog has 0.72 at
# temperature 0.5, 0.50 at 1 and 0.37 at 2. Right, above: the tokens from the likeliest on, dog, cat,
# hen, fish, with the sums 0.5, 0.75, 0.9 and 1. A line at p = 0.7 crosses cat. Dog and cat stay, hen and
# fish are hatched. Right, below: the interval from 0 to 1, divided among the tokens in the order of the
# vocabulary. The number u = 0.6 falls into the part of dog, which goes from 0.25 to
# 0.75.](figures/sampling.png)
#
# **Top-k.** Keep only the $k$ largest logits. All others become $-\infty$, so their probability is
# exactly 0 after a softmax. For $k = 3$, fish goes. The tokens keep their places: entry $i$ of the
# result belongs to token $i$.
#
# **Which $k$ is right?** After "the Empire State" almost only one token makes sense. After "I like"
# there are hundreds. No fixed number fits both.
#
# **Top-p** adapts the number of tokens to the probabilities. Sort the tokens from the likeliest to the
# least likely, and add up their probabilities. Keep the smallest number of tokens whose sum reaches
# $p$. For $p = 0.7$: dog has 0.5, which is not enough. Dog and cat have $0.75 \ge 0.7$. So dog and cat
# stay.
#
# Cat is the token that crosses $p$. Would the set without cat have the probability 0.7? No, only 0.5.
# So the token that crosses $p$ stays. Several public programs dropped it, and nobody noticed: the texts
# just became a bit less varied.
#
# **Drawing.** Now the probabilities are ready, and `u` is a random number from 0 up to, but not
# including, 1. Which token does it choose? Give each token a part of the interval from 0 to 1 that is as
# long as its probability, in the order of the vocabulary. Cat gets $0$ to $0.25$, dog $0.25$ to $0.75$,
# fish $0.75$ to $0.85$, and hen the rest. The number $u = 0.6$ is in the part of dog. In other words:
# choose the first token whose *cumulative sum* is larger than $u$. The sums are
# $[0.25,\ 0.75,\ 0.85,\ 1]$, and $0.75$ is the first that is larger than $0.6$.
#
# **Two traps.** If token 0 has the probability 0, which token does $u = 0$ choose? Its sum is 0, which is
# not larger than 0, so the next token is chosen. And sums of rounded numbers may end a little below 1,
# such as $0.999$. Then no sum is larger than $u = 0.9995$. In this case, the last token whose probability
# is not 0 is chosen.

# %%
import matplotlib.pyplot as plt
import numpy as np

# %% [markdown]
# ## Your task
#
# Write five functions, all for one row of logits or probabilities. What is graded:
#
# - **Temperature.** For `t > 0`, `temperature` returns the softmax of `logits / t`.
# - **Zero.** For `t = 0`, the largest logit has the probability 1, and all others have 0. If several
#   logits are the largest, the first of them has 1.
# - **Large numbers.** Logits may be as large as ±10,000, and `t` as small as 0.001. No result has NaN or
#   $\infty$.
# - **Top-k.** `top_k` keeps the `k` largest logits unchanged, each at its place. All others become
#   $-\infty$. `k` is at least 1. If `k` is larger than the number of logits, all stay.
# - **Top-p.** `top_p` keeps the logits of the smallest number of tokens, from the likeliest on, whose
#   probability reaches `p`, unchanged and each at its place. All others become $-\infty$. The
#   probabilities are the softmax of the logits. No test has a `p` between 0 and 1 that is closer than
#   0.001 to such a sum.
# - **Ends.** `p = 0` keeps one token. `p = 1` or more keeps all, however small their probabilities are.
# - **Ties.** If equal logits are at the border, those with the lower indices stay. This goes for `top_k`
#   and for `top_p`.
# - **Draw.** `draw` returns the first index whose cumulative sum is larger than `u`, in the order of the
#   vocabulary.
# - **Rounded sums.** If no sum is larger than `u`, `draw` returns the last index whose probability is
#   larger than 0.
# - **Curve.** `plot_kept` draws the number of tokens that `top_p` keeps, for the 101 values
#   $p = 0,\ 0.01,\ 0.02,\ \ldots,\ 1$. `p` is on the x axis. Draw it with matplotlib's `plot`, `step` or
#   `scatter`.
# - **Labels.** Both axes have labels, and the figure has a title. You choose the words.
# - **Removed tokens.** Logits may already be $-\infty$, but not all of them. Such a token has the
#   probability 0 at every temperature, and stays at $-\infty$.
# - **Sizes.** There is at least one token, and there may be thousands.
# - **No side effects.** No function changes its arguments, and no result or figure depends on earlier
#   calls.
#
# A wrong function costs points only once: if `top_p` calls your `temperature`, it is right if it is right
# for your probabilities, and `plot_kept` is right if it is right for your `top_p`. Some tests use numbers
# that are made to show a mistake, such as equal logits, a probability of 0, or a `u` that equals a sum.


# %%
def temperature(logits, t):
    """Return the probabilities of the tokens at temperature t: (V,).

    logits: (V,), one for each token. Some may be −inf.
    t: 0, or at least 0.001.
    """
    # YOUR CODE HERE
    raise NotImplementedError()


# %%
def top_k(logits, k):
    """Return the logits, with all but the k largest set to −inf: (V,).

    logits: (V,). Some may be −inf.
    k: the number of tokens to keep, at least 1.
    """
    # YOUR CODE HERE
    raise NotImplementedError()


# %%
def top_p(logits, p):
    """Return the logits, with −inf outside the set of top-p: (V,).

    logits: (V,). Some may be −inf.
    p: 0 keeps one token, and 1 or more keeps all.
    """
    # YOUR CODE HERE
    raise NotImplementedError()


# %%
def draw(probabilities, u):
    """Return the index of the token that the number u chooses, as an int.

    probabilities: (V,), in the order of the vocabulary, with the sum 1 (rounded).
    u: a number with 0 <= u < 1.
    """
    # YOUR CODE HERE
    raise NotImplementedError()


# %%
def plot_kept(logits):
    """Return a figure: the number of tokens that top_p keeps, over p.

    logits: (V,).
    The values of p are 0, 0.01, …, 1.
    The figure has labels on both axes and a title.
    Returns the matplotlib figure.
    """
    # YOUR CODE HERE
    raise NotImplementedError()


# %% [markdown]
# ## Try it
#
# The probabilities should be those of the text for $t = \tfrac{1}{2}$. Top-k with `k = 3` should remove
# fish, and top-p with `p = 0.7` should keep cat and dog. The chosen token should be 1, which is dog. The
# picture has 50 random logits. At which `p` does the curve become steep, and why?

# %%
if __name__ == "__main__":
    logits = np.log([0.25, 0.5, 0.1, 0.15])
    print("logits:", np.round(logits, 3))
    try:
        print("t = 1/2:", np.round(temperature(logits, 0.5), 3))
        print("k = 3:", np.round(top_k(logits, 3), 3))
        print("p = 0.7:", np.round(top_p(logits, 0.7), 3))
        print("u = 0.6 chooses", draw(temperature(logits, 1), 0.6))
        plot_kept(np.random.default_rng(0).normal(0, 2, size=50))
        plt.show()
    except NotImplementedError:
        print("… and the rest is not written yet")

# %% [markdown]
# ## Check your work
#
# Save this file, then run in a terminal:
#
#     autograder check sampling
#
# The command shows your points. If something is wrong, the command shows the mistake and a hint.
# With `--hint`, it shows the next hint. With `watch` instead of `check`, it checks each save.

# %% [markdown]
# ## Where this comes from
#
# - Top-k: [Fan, Lewis and Dauphin, *Hierarchical Neural Story Generation*
#   (2018)](https://arxiv.org/abs/1805.04833), who sample from the 10 likeliest tokens.
# - Top-p: [Holtzman et al., *The Curious Case of Neural Text Degeneration*
#   (2020)](https://arxiv.org/abs/1904.09751). Section 3.1 defines the set of tokens, the *nucleus*.
#   Section 3.3 has the temperature.
# - Drawing with a cumulative sum: chapter 3 of [Devroye, *Non-Uniform Random Variate Generation*
#   (1986)](https://luc.devroye.org/rnbookindex.html).
#
# ## Further reading
#
# - Programs that dropped the token that crosses $p$:
#   [reasoning-from-scratch #164](https://github.com/rasbt/reasoning-from-scratch/issues/164) and
#   [esm #360](https://github.com/Biohub/esm/pull/360).
# - A top-k that kept $k + 1$ tokens:
#   [mesh-transformer-jax #164](https://github.com/kingoflolz/mesh-transformer-jax/issues/164).
# - A division by the temperature 0: [nanoGPT #738](https://github.com/karpathy/nanoGPT/issues/738).
