# %% [markdown]
# # Why divide by √d_k? An experiment
#
# *About 75 minutes. Needs your `softmax`, and plotting with matplotlib.*
#
# The formula divides the scores by $\sqrt{d_k}$. Why?
#
# Let the entries of a query and a key be **independent** random numbers with mean 0 and variance 1.
# Their dot product is a sum of $d_k$ independent terms, each with mean 0 and variance 1. So its
# variance is $d_k$, and its standard deviation $\sqrt{d_k}$: scores of longer vectors differ more.
#
# What does that do to the softmax? If scores differ much, the weights are nearly 0 and 1. Such a
# softmax hardly reacts to small changes of the scores, so hardly any gradient passes through it.
#
# That is a claim. Here you measure it, with two quantities:
#
# - The **entropy** of a row of weights, $-\sum_j p_j \ln p_j$ (in nats, with $0 \ln 0 = 0$), says
#   how widely the attention is spread: $\ln L$ when all $L$ weights are equal, $0$ when one weight
#   is 1. For $p = [0.5, 0.5]$ it is $\ln 2 = 0.693$.
# - The **gradient** (the Jacobian) of the softmax is the matrix
#   $J = \operatorname{diag}(p) - p\,p^\top$. Its Frobenius norm (the root of the sum of its squared
#   entries) says how strongly the weights react to the scores. For $p = [0.5, 0.5]$ all four entries
#   are $\pm 0.25$, and the norm is $0.5$.
#
# ![Above: the weights of the same six scores, scaled to standard deviations of 0.5, 2 and 8. They are
# nearly equal, then uneven, then almost a single 1. Their entropies are 1.69, 0.94 and 0.02 nats.
# Below: as the standard deviation of the scores grows, the entropy falls from its maximum, ln L, to
# 0.](figures/scaling_experiment.png)
#
# The larger the standard deviation of a row of scores, the more its weights look like the picture on
# the right. You measure how that standard deviation depends on $d$, with scaling and without.

# %%
import matplotlib.pyplot as plt
import numpy as np

# %% [markdown]
# ## Your task
#
# Write the four functions, run the experiment, and say what it shows. What is graded:
#
# - **Entropy.** `attention_entropy` gives one value for each row, in nats, of a single row or of any
#   number of axes. A weight of 0 adds 0.
# - **Gradient norm.** `softmax_gradient_norm` gives one value for each row, too. It is right for
#   scores as large as ±1,000, also if one row has large scores and another small ones.
# - **Measures.** For each dimension $d$ and each of `trials` trials, `measure_scaling` samples $Q$
#   and $K$ of shape `(seq_len, d)` anew from a standard normal distribution, and measures. It returns
#   the averages over the trials.
# - **Random numbers.** All random numbers come from `rng`, so the same seed gives the same results.
#   They are yours: grading allows for chance.
# - **Curves.** `plot_scaling` draws at least one of the three measures, unscaled and scaled, at every
#   dimension of `results`, whatever their order.
# - **Labels.** In each panel, the x axis is logarithmic and both axes have labels. A legend tells
#   unscaled and scaled apart, and there is a title; with several panels, one of each is enough.
# - **Conclusion.** `CONCLUSION` says what you found; the exponent may be off by 0.05.
# - **No side effects.** No function changes its arguments or earlier results, and no result or figure
#   depends on earlier calls: draw each figure anew.


# %%
def attention_entropy(weights):
    """The entropy of each row, in nats: (..., L) to (...). A weight 0 adds 0."""
    ### BEGIN SOLUTION
    logarithms = np.log(np.where(weights > 0, weights, 1))
    return -(weights * logarithms).sum(axis=-1)
    ### END SOLUTION


# %%
def softmax_gradient_norm(scores):
    """The Frobenius norm of each row's softmax Jacobian: (..., L) to (...)."""
    ### BEGIN SOLUTION
    p = softmax(scores)
    jacobian = p[..., :, None] * np.eye(p.shape[-1]) - p[..., :, None] * p[..., None, :]
    return np.sqrt((jacobian**2).sum(axis=(-1, -2)))
    ### END SOLUTION


### BEGIN SOLUTION
def softmax(scores):
    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


### END SOLUTION
# %%
def measure_scaling(dimensions, seq_len, trials, rng):
    """Measure attention with and without scaling.

    dimensions: the sizes d to try, whole numbers.
    seq_len: the number of queries, and of keys, in a trial.
    trials: how many pairs of Q and K to sample for each dimension.
    rng: a numpy.random.Generator; take all random numbers from it.
    Returns {d: measures}, where measures has the keys
      scores_std_unscaled, scores_std_scaled: the standard deviation of all
        scores of a trial,
      entropy_unscaled, entropy_scaled: the mean entropy of its rows of weights,
      max_weight_unscaled, max_weight_scaled: the mean of its rows' largest
        weights,
    each computed for every trial and averaged over the trials.
    """
    ### BEGIN SOLUTION
    results = {}
    for d in dimensions:
        rows = []
        for _ in range(trials):
            Q = rng.standard_normal((seq_len, d))
            K = rng.standard_normal((seq_len, d))
            unscaled = Q @ K.T
            rows.append([*measure(unscaled), *measure(unscaled / np.sqrt(d))])
        std, entropy, largest, *scaled = np.mean(rows, axis=0)
        results[d] = {
            "scores_std_unscaled": float(std),
            "scores_std_scaled": float(scaled[0]),
            "entropy_unscaled": float(entropy),
            "entropy_scaled": float(scaled[1]),
            "max_weight_unscaled": float(largest),
            "max_weight_scaled": float(scaled[2]),
        }
    return results
    ### END SOLUTION


### BEGIN SOLUTION
def measure(scores):
    weights = softmax(scores)
    return scores.std(), attention_entropy(weights).mean(), weights.max(axis=-1).mean()


### END SOLUTION
# %%
def plot_scaling(results):
    """A figure of one measure or more, unscaled and scaled, for each dimension.

    results: what measure_scaling returns.
    The x axis is logarithmic. Both axes have labels. The figure has a legend
    and a title.
    Returns the matplotlib figure.
    """
    ### BEGIN SOLUTION
    dimensions = sorted(results)
    figure, panels = plt.subplots(1, 3, figsize=(12, 3.5), layout="constrained")
    names = {
        "scores_std": "standard deviation of the scores",
        "entropy": "mean entropy (nats)",
        "max_weight": "mean largest weight",
    }
    for panel, (measure_name, label) in zip(panels, names.items(), strict=True):
        for kind, style in (("unscaled", "s--"), ("scaled", "o-")):
            values = [results[d][f"{measure_name}_{kind}"] for d in dimensions]
            panel.plot(dimensions, values, style, label=kind)
        panel.set(xscale="log", xlabel="dimension d", ylabel=label)
        panel.legend()
    figure.suptitle("Attention with and without scaling by √d")
    return figure
    ### END SOLUTION


# %% [markdown]
# ## Run the experiment, then fill in what it shows
#
# First come the entropies of three rows and one gradient norm, of which you know the answers; then, once
# it is written, the experiment.
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
            Q, K = np.random.default_rng(d).standard_normal((2, 16, d))
            print("  mean gradient norm, unscaled:", softmax_gradient_norm(Q @ K.T).mean().round(4))
        plot_scaling(measured)
        plt.show()
    except NotImplementedError:
        print("… and the rest is not written yet")

# %%
CONCLUSION = {"growth_exponent": None, "steady": None, "gradient": None}
### BEGIN SOLUTION
CONCLUSION = {"growth_exponent": 0.5, "steady": "scaled", "gradient": "vanishes"}
### END SOLUTION

# %% [markdown] after="check"
# ## Where this comes from
#
# Section 3.2.1 of [Vaswani et al., *Attention Is All You Need*
# (2017)](https://arxiv.org/abs/1706.03762), with a footnote on the variance, *suspects* what you have
# measured. The scaling is the argument `scale` of
# [torch.nn.functional.scaled_dot_product_attention](https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.scaled_dot_product_attention.html).
#
# ## Further reading
#
# - [numpy.random.Generator](https://numpy.org/doc/stable/reference/random/generator.html):
#   experiments that can be repeated.
# - [Xiong et al. (2020)](https://arxiv.org/abs/2002.04745): another place where the size of
#   gradients decides how a transformer has to be trained.
