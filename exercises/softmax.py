# %% [markdown]
# # Softmax
#
# *About 30 minutes. Needs a little NumPy: sums and maxima along an axis.*
#
# Attention has to turn scores, which can be any numbers, into weights that say how much of each
# value to take. The softmax does that:
#
# $$\operatorname{softmax}(x)_i = \frac{e^{x_i}}{\sum_j e^{x_j}}$$
#
# Every result lies between 0 and 1, the results sum to 1, and a larger score gives a larger weight.
#
# **By hand.** For $x = [1, 2, 3]$ the exponentials are $2.718,\ 7.389,\ 20.086$. Their sum is
# $30.193$, so the softmax is $[0.090,\ 0.245,\ 0.665]$.
#
# ![Three bar charts from left to right. Scores: 1, 2, 3. Their exponentials: 2.72, 7.39, 20.09,
# with the sum 30.19. Divided by that sum, the weights: 0.090, 0.245, 0.665, with the sum
# 1.](figures/softmax.png)
#
# **What if a number is large?** `np.exp(1000)` is `inf`. But adding the same number $c$ to every $x_i$
# changes nothing: $e^{x_i + c} = e^c\, e^{x_i}$, and $e^c$ cancels. So choose $c = -\max_j x_j$. The
# largest exponential is then `np.exp(0)`, which is 1.
#
# **What if there are several rows?** Attention has a matrix of scores, one row for each query. Each row
# needs its own softmax. So the function takes an `axis`: the one along which the results sum to 1.
#
# ![A softmax of the same scores, in two rows and three columns. With axis −1 each row sums to 1. With
# axis 0 each column sums to 1.](figures/softmax_axis.png)

# %%
import numpy as np

# %% [markdown]
# ## Your task
#
# Write `softmax`. What is graded:
#
# - **Values.** The results are those of the formula, with an error of at most 0.000001, or the
#   precision of float32. Without `axis`, the softmax runs along the last axis.
# - **Any axis.** `softmax` works for arrays with one axis or more, along any single `axis`, also a
#   negative one.
# - **Lists.** `softmax` accepts lists, and whole numbers. Its result may be a list too.
# - **Large numbers.** `softmax` is right for inputs up to ±10,000, also if one row has large numbers
#   and another small ones.
# - **Minus infinity.** `softmax` gives exactly 0 where the input is −∞, beside finite numbers.
# - **No side effects.** `softmax` changes neither its input nor earlier results. Its result does not
#   depend on earlier calls.


# %%
def softmax(x, axis=-1):
    """Softmax along one axis: exp(x_i) / sum_j exp(x_j).

    x: numbers, of any shape with at least one axis.
    axis: the axis along which the results sum to 1.
    Returns an array of the same shape as x.
    """
    # YOUR CODE HERE
    raise NotImplementedError()


# %% [markdown]
# ## Try it
#
# Run the next cell. The softmax of `[1, 2, 3]` should be close to `[0.09  0.245 0.665]`, and each row of
# the last result should sum to 1.

# %%
if __name__ == "__main__":
    exponentials = np.exp([1, 2, 3])
    print("exponentials:", exponentials.round(3), "their sum:", exponentials.sum().round(3))
    try:
        print("softmax:     ", softmax([1, 2, 3]))
        print(softmax([[1, 2, 3], [1000, 1000, 1001]]))
    except NotImplementedError:
        print("softmax:      not written yet")

# %% [markdown]
# ## Check your work
#
# Save this file, then run in a terminal:
#
#     autograder check softmax
#
# The command shows your points. If something is wrong, the command shows the mistake and a hint.
# With `--hint`, it shows the next hint. With `watch` instead of `check`, it checks each save.

# %% [markdown]
# ## Where this comes from
#
# Attention uses the softmax in equation 1 of [Vaswani et al., *Attention Is All You Need*
# (2017)](https://arxiv.org/abs/1706.03762). [Blanchard, Higham and Higham
# (2021)](https://doi.org/10.1093/imanum/draa038) show that it stays accurate if the maximum is
# subtracted. In libraries: `torch.softmax(x, dim=-1)` and `scipy.special.softmax(x, axis=-1)`.
#
# ## Further reading
#
# - [scipy.special.softmax](https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.softmax.html):
#   formula, axis and references.
# - [Broadcasting in NumPy](https://numpy.org/doc/stable/user/basics.broadcasting.html): why a sum
#   of shape `(rows, 1)` divides a matrix.
