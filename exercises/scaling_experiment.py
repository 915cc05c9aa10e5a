# %% [markdown]
# # Why divide by √d_k? An experiment
#
# *About 75 minutes. Needs a softmax such as yours from `softmax`, and plotting with matplotlib.*
#
# The formula divides the scores by $\sqrt{d_k}$. Why? Let the entries of a query and a key be
# random, with mean 0 and variance 1. Their dot product is a sum of $d_k$ terms, each with variance
# 1, so its variance is $d_k$ and its spread (standard deviation) $\sqrt{d_k}$. Long vectors give
# large scores; a softmax of large scores is nearly all 0 and 1; and such a softmax hardly reacts
# to small changes, so hardly anything can be learnt through it.
#
# That is a claim. Here you measure it.
#
# - The **entropy** of a row of weights, $-\sum_j p_j \ln p_j$ (in nats, with $0 \ln 0 = 0$), says
#   how widely the attention is spread: $\ln L$ when all $L$ weights are equal, $0$ when one weight
#   is 1. For $p = [0.5, 0.5]$ it is $\ln 2 = 0.693$.
# - The **gradient** of the softmax is the matrix $J = \operatorname{diag}(p) - p\,p^\top$. Its
#   Frobenius norm (the root of the sum of its squared entries) says how strongly the weights react
#   to the scores. For $p = [0.5, 0.5]$ all four entries are $\pm 0.25$, and the norm is $0.5$.
#
# ![Above: the weights of the same six scores, spread out to 0.5, 2 and 8. They are nearly equal,
# then uneven, then a single 1; their entropies are 1.69, 0.94 and 0.02 nats. Below: the entropy
# falls from its largest value, ln L, to 0 as the spread of the scores
# grows.](figures/scaling_experiment.png)
#
# Which of these pictures a row of attention weights looks like depends on the spread of its scores. How
# that spread depends on $d$, with scaling and without, is yours to measure.

# %%
import matplotlib.pyplot as plt
import numpy as np

# %% [markdown]
# ## Your task
#
# 1. `attention_entropy` and `softmax_gradient_norm`: one value for each row.
# 2. `measure_scaling`: for each dimension $d$, draw $Q$ and $K$ of shape `(seq_len, d)` from a
#    standard normal distribution, `trials` times, and average what you see.
# 3. `plot_scaling`: let a reader see the difference.
# 4. `CONCLUSION`: say what you found.


# %%
def attention_entropy(weights):
    """The entropy of each row, in nats: (..., L) to (...)."""
    # YOUR CODE HERE
    raise NotImplementedError()


# %%
def softmax_gradient_norm(scores):
    """The Frobenius norm of each row's softmax Jacobian: (..., L) to (...)."""
    # YOUR CODE HERE
    raise NotImplementedError()


# %%
def measure_scaling(dimensions, seq_len, trials, rng):
    """Measure attention with and without scaling.

    dimensions: the sizes d to try.
    rng: a numpy.random.Generator; take all random numbers from it.
    Returns {d: measures}, where measures has the keys
      scores_std_unscaled, scores_std_scaled: the standard deviation of all
        scores of a trial,
      entropy_unscaled, entropy_scaled: the mean entropy of its rows of weights,
      max_weight_unscaled, max_weight_scaled: the mean of its rows' largest
        weights,
    each computed for every trial and averaged over the trials.
    """
    # YOUR CODE HERE
    raise NotImplementedError()


# %%
def plot_scaling(results):
    """A figure of a measure or more, unscaled and scaled, against the dimension.

    The x axis is logarithmic; both axes have labels; there are a legend and
    a title.
    Returns the matplotlib figure.
    """
    # YOUR CODE HERE
    raise NotImplementedError()


# %% [markdown]
# ## Run the experiment, then fill in what it shows
#
# First come your two measures for three rows of which you know the answers; then, once it is written, the
# experiment.
#
# - `growth_exponent`: `scores_std_unscaled` grows like $d$ to this power.
# - `steady`: which entropy stays about the same as $d$ grows, `"scaled"` or `"unscaled"`?
# - `gradient`: what happens to the gradient of the unscaled softmax at large $d$? It `"vanishes"`
#   or it `"grows"`.

# %%
if __name__ == "__main__":
    rows = np.array([[0.5, 0.5], [0.9, 0.1], [1.0, 0.0]])
    print("rows of weights: ", *rows)
    print("their entropies:  0.693, 0.325, 0 by hand")
    try:
        print("by your function:", attention_entropy(rows))
        print("softmax_gradient_norm of [0, 0]: 0.5 by hand,", softmax_gradient_norm(np.zeros(2)))
        measured = measure_scaling([4, 16, 64, 256], 16, 50, np.random.default_rng(0))
        for d in measured:
            print(d, measured[d])
        plot_scaling(measured)
        plt.show()
    except NotImplementedError:
        print("… and the rest is not written yet")

# %%
CONCLUSION = {"growth_exponent": None, "steady": None, "gradient": None}

# %% [markdown]
# ## Check your work
#
# Save this file, then run in a terminal:
#
#     autograder check scaling_experiment
#
# It shows your points and, if something is not right yet, what it is and a hint; `--hint` shows one
# more. With `watch` in place of `check` it does so whenever you save.

# %% [markdown]
# ## Where this comes from
#
# Section 3.2.1 of [Vaswani et al., *Attention Is All You Need*
# (2017)](https://arxiv.org/abs/1706.03762) says, with a footnote on the variance, that it
# *suspects* what you have measured. The scaling is the argument `scale` of
# [torch.nn.functional.scaled_dot_product_attention](https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.scaled_dot_product_attention.html).
#
# ## Go on reading
#
# - [numpy.random.Generator](https://numpy.org/doc/stable/reference/random/generator.html):
#   experiments that can be repeated.
# - [Xiong et al. (2020)](https://arxiv.org/abs/2002.04745): another place where the size of
#   gradients decides whether a transformer can be trained.
