# %% [markdown]
# # Softmax
#
# Attention has to turn scores, which can be any numbers, into weights that say how much of each
# value to take. The softmax does that:
#
# $$\operatorname{softmax}(x)_i = \frac{e^{x_i}}{\sum_j e^{x_j}}$$
#
# Every result lies between 0 and 1, they sum to 1, and a larger score gives a larger weight.
#
# **By hand.** For $x = [1, 2, 3]$ the exponentials are $2.718,\ 7.389,\ 20.086$. Their sum is
# $30.193$, so the softmax is $[0.090,\ 0.245,\ 0.665]$.
#
# **Two things to know.**
#
# - Adding the same number $c$ to every $x_i$ changes nothing: $e^{x_i + c} = e^c\, e^{x_i}$, and
#   $e^c$ cancels. Choose $c = -\max_j x_j$ and no exponential can overflow: `np.exp(1000)` is
#   `inf`, but `np.exp(0)` is 1.
# - Attention uses matrices of scores, one row for each query. Each row needs its own softmax, so
#   the function takes an `axis`: the one along which the results sum to 1.

# %%
import numpy as np

# %% [markdown]
# ## Your task
#
# Write `softmax`. It accepts arrays of one axis or more, lists and whole numbers, works along any
# `axis`, stays right for inputs as large as ±10,000, gives exactly 0 where the input is −∞, and
# leaves its input as it is.


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
# Run the next cell. The first line should be close to `[0.09  0.245 0.665]`, each row of the
# second should sum to 1.

# %%
if __name__ == "__main__":
    print(softmax([1, 2, 3]))
    print(softmax([[1, 2, 3], [1000, 1000, 1001]]))

# %% [markdown]
# ## Check your work
#
# Save this file, then run in a terminal: `autograder check softmax`. It shows your points and, if
# something is not right yet, what it is and a hint; `--hint` shows one more.
